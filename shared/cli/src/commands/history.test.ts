import assert from "node:assert/strict";
import { after, test } from "node:test";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { NotificationKind, StateType, Status } from "@realmwatch/proto/svc/v1/common_pb";
import {
  type HistoryRecord,
  HistoryType,
  type ListHistoryRequest,
  QueryService,
} from "@realmwatch/proto/svc/v1/query_pb";
import { timeToday, webService } from "../explain/explain.fixture.ts";
import { cliHostRow, openCliServers, runTestCli } from "../run-cli.fixture.ts";

const { serve } = openCliServers(after);

test("[FD57] realms whose history is missing are named, and the records of the others are printed", async () => {
  const message = "history of realm fra is being rebuilt";
  const url = await serve((router) =>
    router.service(QueryService, {
      listHistory: () => ({
        records: [{ id: "7", realm: "dub", object: cliHostRow("dub", "web1").object, output: "ok again" }],
        unanswered: [{ realm: "fra", code: "unavailable", message }],
      }),
    }),
  );
  const plain = await runTestCli(["history", "-server", url]);
  assert.match(plain.stdout, /dub .*web1/);
  assert.equal(plain.stderr, `realmwatch: realm fra: unavailable: ${message}\n`);
  assert.equal(plain.code, 1);
  const json = JSON.parse((await runTestCli(["history", "-server", url, "-output", "json"])).stdout);
  assert.deepEqual([json.records.length, json.unanswered[0].realm], [1, "fra"]);
});

type RecordInit = Partial<Omit<HistoryRecord, "$typeName" | "$unknown" | "because" | "object">> & {
  readonly because?: { readonly reason: string; readonly name: string };
};
const records: readonly (readonly [RecordInit, details: string])[] = [
  [
    {
      type: HistoryType.NOTIFICATION,
      notificationKind: NotificationKind.ACKNOWLEDGEMENT,
      contact: "ops",
      author: "ann",
      comment: "on it",
    },
    "notification delivered   ACKNOWLEDGEMENT to ops, by ann: on it",
  ],
  [
    {
      type: HistoryType.NOTIFICATION_FAILED,
      notificationKind: NotificationKind.PROBLEM,
      contact: "ops",
      output: "answered 404",
    },
    "notification given up    PROBLEM to ops: answered 404",
  ],
  [
    {
      type: HistoryType.NOTIFICATION,
      notificationKind: NotificationKind.PROBLEM,
      contact: "ops",
      possibleDuplicate: true,
    },
    "notification delivered   PROBLEM to ops (possible duplicate)",
  ],
  [
    {
      type: HistoryType.NOTIFICATION_QUEUED,
      notificationKind: NotificationKind.PROBLEM,
      contact: "ops",
      because: { reason: "decided", name: "duty" },
    },
    "notification queued      PROBLEM to ops as fallback of duty",
  ],
  [
    {
      type: HistoryType.NOTIFICATION_SUPPRESSED,
      notificationKind: NotificationKind.PROBLEM,
      because: { reason: "dependency", name: "db" },
    },
    'notification suppressed  PROBLEM: dependency "db" has failed',
  ],
  [
    { type: HistoryType.ACKNOWLEDGED, author: "svc", onBehalfOf: "ann", comment: "on it" },
    "acknowledged             by ann (through svc): on it",
  ],
  [{ type: HistoryType.ACKNOWLEDGEMENT_REMOVED }, "acknowledgement removed"],
  [
    {
      type: HistoryType.STATE,
      status: Status.CRITICAL,
      previousStatus: Status.OK,
      stateType: StateType.SOFT,
      attempt: 1,
      output: "refused",
    },
    "CRITICAL                 was ok, attempt 1: refused",
  ],
];

test("[NO25] history parts what a record is about, its author, its reason and its text", async () => {
  const url = await serve((router) =>
    router.service(QueryService, {
      listHistory: () => ({
        records: records.map(([record]) => ({ ...record, at: timeToday("16:00:00"), object: webService })),
      }),
    }),
  );
  const lines = (await runTestCli(["history", "-server", url], { zone: "UTC" })).stdout.trimEnd().split("\n").slice(1);
  assert.deepEqual(
    lines.map((line) => line.slice("2026-03-28 16:00:00  web1!http  ".length)),
    records.map(([, details]) => details),
  );
});

test("[RM33] history passes on who, contact, text and times, and suggests types that contain the word", async () => {
  const requests: ListHistoryRequest[] = [];
  const url = await serve((router) =>
    router.service(QueryService, {
      listHistory(request) {
        requests.push(request);
        return {};
      },
    }),
  );
  const flags = ["-actor", "ann", "-contact", "ops", "-search", "disk", "-since", "7d", "-until", "2026-03-28"];
  await runTestCli(["history", "-server", url, ...flags], { zone: "UTC" });
  const [{ actor, contact, search, since, until } = assert.fail()] = requests;
  assert.deepEqual([actor, contact, search], ["ann", "ops", "disk"]);
  assert.deepEqual(
    [since, until].map((time) => time && timestampDate(time).toISOString()),
    ["2026-03-21T17:00:00.000Z", "2026-03-28T00:00:00.000Z"],
  );
  const refused = await runTestCli(["history", "-server", url, "-type", "ack"]);
  assert.match(refused.stderr, /"ack" is not a record type; did you mean acknowledged or acknowledgement_removed\?/);
});
