import assert from "node:assert/strict";
import { after, test } from "node:test";
import { HistoryType, type ListStatusRequest, QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { openCliServers, runTestCli } from "../run-cli.fixture.ts";
import { brokenService, timeToday, webService } from "./explain.fixture.ts";

const { serve } = openCliServers(after);

/** Runs the command line in the time zone of `timeToday`. */
const runInUtc = (args: readonly string[]) => runTestCli(args, { zone: "UTC" });

test("explain requests the row and the last ten notification records, from an agent or an aggregator", async () => {
  const requests: unknown[] = [];
  const agent = await serve((router) =>
    router.service(QueryService, {
      getServerInfo: () => ({ realm: "fra", toggles: { notificationsEnabled: false } }),
      listStatus: () => ({ rows: [{ ...brokenService, output: "evil\u001b[2J" }] }),
      listHistory({ types, pageSize, object }) {
        requests.push([types, pageSize, object?.ref.case]);
        const because = { reason: "program_off" };
        return {
          records: [
            {
              id: "7",
              at: timeToday("16:00:00"),
              object: webService,
              type: HistoryType.NOTIFICATION_SUPPRESSED,
              because,
            },
          ],
        };
      },
    }),
  );
  const table = await runInUtc(["explain", "web1!http", "-server", agent]);
  assert.deepEqual([table.code, table.stderr], [0, ""]);
  assert.match(table.stdout, /^web1!http is CRITICAL since .*: evil \[2J\n/);
  assert.match(table.stdout, /\nNotifications disabled for the whole realm\.\n/);
  assert.match(table.stdout, /notification suppressed +notifications are disabled for the whole realm\n$/);
  const json = JSON.parse((await runInUtc(["explain", "web1!http", "-server", agent, "-output", "json"])).stdout);
  assert.deepEqual(Object.keys(json), ["row", "explanation", "records"]);
  assert.deepEqual([json.row.status, json.records[0].id], ["STATUS_CRITICAL", "7"]);
  assert.deepEqual(requests[0], [[2, 19, 3, 4], 10, "service"]);

  const narrowed: ListStatusRequest[] = [];
  const centre = await serve((router) =>
    router.service(QueryService, {
      getServerInfo: () => ({ aggregator: true }),
      listStatus(request) {
        narrowed.push(request);
        const rows = ["fra", "nyc"].map((realm) => ({ ...brokenService, realm }));
        const realms = ["fra", "nyc"].map((name) => ({ name, reachable: name === "fra" }));
        return { rows: rows.filter(({ realm }) => request.realm === "" || realm === request.realm), realms };
      },
      listHistory: () => ({}),
    }),
  );
  const both = await runInUtc(["explain", "web1!http", "-server", centre]);
  assert.deepEqual([both.code, both.stdout], [2, ""]);
  assert.match(both.stderr, /is in several realms: choose one with -target-realm: fra, nyc\n$/);
  const one = await runInUtc(["explain", "web1!http", "-server", centre, "-target-realm", "nyc"]);
  assert.equal(one.code, 0);
  assert.match(
    one.stdout,
    /\nrealm nyc is unreachable and was never seen\n\nhistory has no record of a notification\n$/,
  );
  assert.equal(narrowed.at(-1)?.realm, "nyc");
  const none = await runInUtc(["explain", "web1!http", "-server", centre, "-target-realm", "moon"]);
  assert.deepEqual([none.code, none.stderr], [1, `realmwatch: ${centre} has no realm "moon"; it has fra, nyc\n`]);
  assert.match((await runInUtc(["explain", "!x", "-server", centre])).stderr, /is not an object/);
});

test("[TG4] explain names the mute that suppressed the notification, with its reason and end", async () => {
  const because = { reason: "contact_off", name: "desk", until: timeToday("18:00:00") };
  const url = await serve((router) =>
    router.service(QueryService, {
      getServerInfo: () => ({}),
      listStatus: () => ({ rows: [{ ...brokenService, notification: { because } }] }),
      listHistory: () => ({}),
      listContacts: () => ({
        contacts: [
          {
            ...{ name: "desk", mutedBy: "centre", onBehalfOf: "ann", mutedComment: "moving" },
            ...{ mutedAt: timeToday("16:00:00"), mutedUntil: timeToday("18:00:00") },
          },
        ],
      }),
    }),
  );
  const { stdout } = await runInUtc(["explain", "web1!http", "-server", url]);
  assert.match(stdout, /^Suppressed: contact "desk" is muted, until \S+ 18:00:00 \(rule NO12\)\.$/m);
  assert.match(
    stdout,
    /^Contact desk is muted by ann \(through centre\) since \S+ 16:00:00 until \S+ 18:00:00: moving\.$/m,
  );
});
