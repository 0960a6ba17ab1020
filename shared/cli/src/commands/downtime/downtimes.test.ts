import assert from "node:assert/strict";
import { after, test } from "node:test";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { RealmBulkService, RealmCommandService } from "@realmwatch/proto/svc/v1/realm_pb";
import { cliHostRow, openCliServers, runTestCli } from "../../run-cli.fixture.ts";

const { serve } = openCliServers(after);
const downtime = (id: string, changeId: string, comment: string) => ({ id, changeId, comment });
const recurring = { id: "recurring:n", kind: { case: "recurring", value: { name: "n" } }, comment: "Nightly" } as const;
const rows = [
  { ...cliHostRow("ams", "web1"), downtimes: [downtime("d1", "c1", "New disks"), downtime("d4", "", "old")] },
  { ...cliHostRow("ams", "web2"), downtimes: [downtime("d2", "c1", "New disks"), recurring] },
  { ...cliHostRow("fra", "db1"), downtimes: [downtime("d3", "c1", "New disks")] },
];

/** Centre with downtimes of two changes; `sent` lists its deletions and the selectors of its bulk commands. */
async function openCentre() {
  const sent: string[] = [];
  const url = await serve((router) =>
    router
      .service(QueryService, {
        getServerInfo: () => ({ aggregator: true }),
        listStatus: ({ selector }) => ({
          realms: [{ name: "ams" }, { name: "fra" }],
          rows: selector.includes("@host=web1") ? rows.slice(0, 1) : rows,
        }),
      })
      .service(RealmCommandService, {
        deleteDowntime({ realm, request }) {
          sent.push(`${realm}/${request?.changeId || request?.downtimeId}`);
          return {};
        },
      })
      .service(RealmBulkService, {
        execute({ selector, command }) {
          sent.push(`${command.case} ${selector}`);
          return {
            results: [
              { realm: "ams", matched: 2, downtimeIds: ["d1", "d2"] },
              { realm: "fra", matched: 1, downtimeIds: ["d3"] },
            ],
          };
        },
      }),
  );
  return { sent, run: (...args: string[]) => runTestCli([...args, "-server", url]) };
}

const deletions: readonly (readonly [args: readonly string[], sent: readonly string[], stdout: RegExp])[] = [
  [["-change", "c1"], ["/c1"], /^deleted 3 downtimes: 2 in ams, 1 in fra\n$/],
  [["-comment", "new DISK"], ["/c1"], /^deleted 3 downtimes/],
  [["-selector", "@host=web1"], ["ams/d1", "ams/d4"], /^deleted 2 downtimes: 2 in ams\n$/],
  [["-selector", "@host=web1", "-comment", "disks"], ["ams/d1"], /^deleted 1 downtime: 1 in ams\n$/],
  [["d4"], ["ams/d4"], /^deleted downtime d4\n$/],
  [["-change", "c1", "-dry-run"], [], /^CHANGE +REALM +OBJECTS.*\nc1 +ams,fra +3 objects .*New disks\n$/],
  [["-comment", "nightly"], [], /^$/],
];
for (const [args, sent, stdout] of deletions)
  test(`[DT15] downtime rm ${args.join(" ")}`, async () => {
    const centre = await openCentre();
    const ran = await centre.run("downtime", "rm", ...args);
    assert.match(ran.stdout, stdout);
    assert.deepEqual(centre.sent, sent, ran.stderr);
  });

test("downtime rm asks on a terminal, and without a condition or with two kinds of them is refused", async () => {
  const centre = await openCentre();
  const questions: string[] = [];
  const url = await serve((router) =>
    router.service(QueryService, { getServerInfo: () => ({ realm: "fra" }), listStatus: () => ({ rows }) }),
  );
  const confirm = async (question: string): Promise<boolean> => {
    questions.push(question);
    return false;
  };
  const refused = await runTestCli(["downtime", "rm", "-change", "c1", "-server", url], { confirm });
  assert.deepEqual([refused.code, questions], [1, ["Delete 3 downtimes of 1 change?"]]);
  assert.match(refused.stderr, /CHANGE[\s\S]*nothing was deleted\n$/);
  assert.match((await centre.run("downtime", "rm")).stderr, /an ID, -selector, -comment or -change is required/);
  assert.match((await centre.run("downtime", "rm", "d1", "-change", "c1")).stderr, /exclude each other/);
});

test("downtime list has a row for each change, and with -output wide for each downtime", async () => {
  const { run } = await openCentre();
  assert.equal((await run("downtime", "list", "-selector", "env=prod")).stdout.trim().split("\n").length, 4);
  assert.equal((await run("downtime", "list", "-output", "wide")).stdout.trim().split("\n").length, 6);
  assert.equal((await run("downtime", "list", "-quiet")).stdout, "d1\nd4\nd2\nd3\n");
});

test("downtime add prints the objects of each realm, the time range and the change", async () => {
  const { run, sent } = await openCentre();
  const window = ["-start", "22:00", "-for", "2h", "-comment", "x"];
  const { stdout } = await run("downtime", "add", "-selector", "env=prod", ...window);
  assert.match(
    stdout,
    /^scheduled 3 downtimes for all objects that match "env=prod"\nobjects {2}3 objects: 2 in ams, 1 in fra\nfrom {5}2026-03-28 22:00:00\nto {7}2026-03-29 00:00:00 \(2h\)\nchange {3}[0-9a-z]{17}\n$/,
  );
  assert.deepEqual(sent, ["scheduleDowntime env=prod"]);
});

test("ack with a selector takes problems only, prints the number in each realm, and lists them in a dry run", async () => {
  const { run, sent } = await openCentre();
  const { stdout } = await run("ack", "-selector", "env=prod", "-comment", "x");
  assert.equal(
    stdout,
    'acknowledged all objects that match "env=prod,@status in (warning,critical,unknown,unreachable)" (3 objects: 2 in ams, 1 in fra)\n',
  );
  const dry = await run("ack", "-selector", "@host=web1", "-comment", "x", "-dry-run");
  assert.match(dry.stdout, /^REALM +OBJECT +STATUS +OUTPUT *\nams +web1 +OK *\n1 object: 1 in ams\n$/);
  assert.deepEqual(sent, ["acknowledgeProblem env=prod,@status in (warning,critical,unknown,unreachable)"]);
  assert.match((await run("ack", "web1", "-comment", "x", "-dry-run")).stderr, /-dry-run needs -selector/);
});

test("an agent says how many objects a command was accepted for", async () => {
  const url = await serve((router) =>
    router.service(QueryService, { getServerInfo: () => ({ realm: "fra" }) }).service(CommandService, {
      scheduleCheck(_, { responseHeader }) {
        responseHeader.set("x-realmwatch-matched", "2");
        return {};
      },
    }),
  );
  const { stdout } = await runTestCli(["check", "-selector", "env=prod", "-server", url]);
  assert.match(stdout, /\(2 objects\)\n$/);
});
