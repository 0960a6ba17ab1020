import assert from "node:assert/strict";
import { after, test } from "node:test";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { RealmCommandService } from "@realmwatch/proto/svc/v1/realm_pb";
import { openCliServers, runTestCli } from "../run-cli.fixture.ts";

const { serve } = openCliServers(after);

const uncovered = [{ policy: "dba", level: 1, objects: 12 }];
const remaining = { uncovered, uncoveredPolicies: 1, uncoveredObjects: 12, others: ["lead"] };
const remainingText =
  "pager is the only contact left of 1 policy (12 objects): nobody will be notified\nPolicy: dba (12 objects)\nStill notified: lead\n";

/** An agent with the contacts `pager` and `desk`, which keeps the commands that it receives. */
async function openAgent() {
  const commands: unknown[] = [];
  const url = await serve((router) => {
    router.service(QueryService, {
      getServerInfo: () => ({}),
      listContacts: () => ({ contacts: [{ name: "pager", remaining }, { name: "desk" }] }),
    });
    router.service(CommandService, {
      setContactNotifications({ contact, enabled, author, comment, until }) {
        commands.push([contact, enabled, author, comment, until && timestampDate(until).toISOString()]);
        return {};
      },
    });
  });
  return { commands, run: (...args: string[]) => runTestCli(["toggle", "contact", ...args, "-server", url]), url };
}

test("[TG6] toggle contact off mutes with a reason and an end, and prints who is left", async () => {
  const { run, commands } = await openAgent();
  const muted = await run("pager", "off", "-comment", "ill", "-until", "4h");
  assert.equal(muted.stdout, `notifications of pager: off until 2026-03-28 22:00:00\n${remainingText}`);
  assert.equal((await run("desk", "off")).stdout, "notifications of desk: off\n", "a server without `remaining`");
  assert.equal((await run("pager", "on", "-comment", "back")).stdout, "notifications of pager: on\n");
  assert.deepEqual(commands, [
    ["pager", false, "ann", "ill", "2026-03-28T21:00:00.000Z"],
    ["desk", false, "ann", "", undefined],
    ["pager", true, "ann", "back", undefined],
  ]);
});

test("[TG6] a dry run and a refused question mute nothing, and flags of off are refused for on", async () => {
  const { run, commands, url } = await openAgent();
  assert.equal((await run("pager", "off", "-dry-run")).stdout, remainingText);
  assert.deepEqual(JSON.parse((await run("pager", "off", "-dry-run", "-output", "json")).stdout), { remaining });
  assert.match((await run("nobody", "off", "-dry-run")).stderr, /contact "nobody" was not found/);
  assert.match((await run("pager", "on", "-until", "4h")).stderr, /-until and -dry-run are for off/);
  const questions: string[] = [];
  const confirm = async (question: string): Promise<boolean> => {
    questions.push(question);
    return false;
  };
  const refused = await runTestCli(["toggle", "contact", "pager", "off", "-server", url], { confirm });
  assert.deepEqual([refused.code, questions, commands], [1, ["Mute pager?"], []]);
  assert.match(refused.stderr, /only contact left.*\n.*\n.*\n.*nothing was muted/);
});

test("[TG6] at an aggregator the contact of the realm counts, and the command goes there", async () => {
  const realms: string[] = [];
  const url = await serve((router) => {
    router.service(QueryService, {
      getServerInfo: () => ({ aggregator: true }),
      listStatus: () => ({ realms: [{ name: "ams" }, { name: "fra" }] }),
      listContacts: () => ({
        contacts: [
          { name: "pager", realm: "ams", remaining: { others: ["ams-lead"] } },
          { name: "pager", realm: "fra", remaining: { others: ["fra-lead"] } },
        ],
      }),
    });
    router.service(RealmCommandService, {
      setContactNotifications({ realm }) {
        realms.push(realm);
        return {};
      },
    });
  });
  const { stdout } = await runTestCli(["toggle", "contact", "pager", "off", "-target-realm", "fra", "-server", url]);
  assert.match(stdout, /^notifications of pager: off\nStill notified: fra-lead\n$/);
  assert.deepEqual(realms, ["fra"]);
});
