import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { ConnectRouter } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { NotificationKind, StateType, Status } from "@realmwatch/proto/svc/v1/common_pb";
import {
  DeliveryState,
  type HistoryRecord,
  HistoryType,
  type ListStatusRequest,
  QueryService,
  StatusRowSchema,
} from "@realmwatch/proto/svc/v1/query_pb";
import { manualClock } from "@realmwatch/shared/model/manual-clock";
import { notificationReasons } from "@realmwatch/shared/model/notification";
import { allProgramTogglesOn } from "@realmwatch/shared/model/toggles";
import { timestampToProto } from "@realmwatch/shared/wire/fields/time";
import { runCli } from "../run-cli.ts";
import { explainObject } from "./explain-object.ts";
import { explainReason } from "./explain-reason.ts";
import { remedyFor } from "./explain-remedy.ts";

const nowMs = Date.parse("2026-03-28T17:00:00Z");
const screen = { columns: undefined, colours: false, nowMs, zone: "UTC" };
const at = (time: string): Timestamp => timestampToProto(Date.parse(`2026-03-28T${time}Z`));

type RowInit = MessageInitShape<typeof StatusRowSchema>;
const http = { ref: { case: "service" as const, value: { host: "web1", name: "http" } } };
const broken: RowInit = {
  object: http,
  status: Status.CRITICAL,
  stateType: StateType.HARD,
  attempt: 3,
  maxAttempts: 3,
  output: "connection refused",
  lastChange: at("15:00:00"),
  lastCheck: at("16:59:30"),
  nextCheck: at("17:00:30"),
};
const explain = (row: RowInit, program = allProgramTogglesOn): readonly string[] =>
  explainObject({ row: create(StatusRowSchema, row), program }, screen);

test("a problem without notification state is not explained as notified", () => {
  assert.deepEqual(explain(broken), [
    "web1!http is CRITICAL since 2026-03-28 15:00:00 (2h), hard after 3 attempts: connection refused",
    "No notification was decided as far as this server knows: the row has no notification state.",
    "Last checked 2026-03-28 16:59:30; next check 2026-03-28 17:00:30.",
  ]);
  assert.deepEqual(explain({ object: http, status: Status.OK, checkPeriod: "office" }), [
    "web1!http is OK",
    "The object has no problem, so there is nothing to notify.",
    "Never checked; no check is scheduled, only within the timeperiod office.",
  ]);
});

test("everything that suppresses notifications is listed with its end", () => {
  const because = { reason: "acknowledged", name: "ann", until: at("18:00:00") };
  const sentences = explain(
    {
      ...broken,
      stateType: StateType.SOFT,
      attempt: 2,
      notification: { level: 1, sentAtLevel: 1, last: at("16:00:00"), next: at("17:30:00"), because },
      acknowledgement: { author: "svc", onBehalfOf: "ann", comment: "on it", sticky: true, at: at("16:10:00") },
      inDowntime: true,
      downtimes: [
        { id: "d1", author: "bea", comment: "disks", inEffect: true, start: at("16:00:00"), end: at("19:00:00") },
        {
          id: "d2",
          kind: { case: "flexible", value: { activeUntil: at("17:20:00") } },
          inEffect: true,
          end: at("23:00:00"),
        },
        { id: "d3", start: at("20:00:00"), end: at("21:00:00"), inEffect: false },
      ],
      suppressedBy: ["web1"],
      flapping: true,
      flapValue: 0.42,
      notificationsEnabled: false,
      passiveChecksEnabled: true,
    },
    { ...allProgramTogglesOn, notifications: false },
  );
  assert.deepEqual(sentences.slice(0, -1), [
    "web1!http is CRITICAL since 2026-03-28 15:00:00 (2h), soft: attempt 2 of 3: connection refused",
    "Escalation level 1: 1 notification decided at this level; last at 2026-03-28 16:00:00 (60m ago).",
    'Suppressed: the problem is acknowledged by "ann", until 2026-03-28 18:00:00 (rule NO17).',
    "For a notification: the acknowledgement has to be removed or to expire, or the problem to end.",
    "Next notification: 2026-03-28 17:30:00, but suppressed while notifications are disabled for the whole realm (rule NO20).",
    "Acknowledged by svc for ann 2026-03-28 16:10:00, until recovery: on it",
    "In downtime until 2026-03-28 19:00:00: d1 by bea, disks",
    "In downtime until 2026-03-28 17:20:00: d2",
    "Downtime scheduled, 2026-03-28 20:00:00 to 2026-03-28 21:00:00: d3",
    "Suppressed by web1.",
    "Flapping: state change rate 42 %.",
    "Notifications disabled for this object.",
    "Notifications disabled for the whole realm.",
  ]);
});

test("a notification whose time has passed is explained as suppressed", () => {
  const notification = { level: 0, sentAtLevel: 1, last: at("16:00:00"), next: at("16:30:00") };
  assert.ok(explain({ ...broken, notification }).includes("Next notification: suppressed since 2026-03-28 16:30:00."));
});

test("[NO25] each delivery is explained: queued, delivered, failing or given up", () => {
  const delivery = (contact: string, state: DeliveryState, attempts: number, error = "") => ({
    ...{ contact, kind: NotificationKind.PROBLEM, state, since: at("16:00:00"), attempts, error },
  });
  const deliveries = [
    delivery("ann", DeliveryState.QUEUED, 0),
    delivery("bea", DeliveryState.DELIVERED, 2, "timeout"),
    delivery("cat", DeliveryState.FAILING, 12, "connection refused"),
    delivery("dan", DeliveryState.GAVE_UP, 1, "answered 404"),
  ];
  const notification = { level: 0, sentAtLevel: 1, last: at("16:00:00"), because: { reason: "decided" }, deliveries };
  assert.deepEqual(explain({ ...broken, notification }).slice(1, -1), [
    "Escalation level 0: 1 notification decided at this level; last at 2026-03-28 16:00:00 (60m ago).",
    "PROBLEM to ann: queued since 2026-03-28 16:00:00 (60m ago)",
    "PROBLEM to bea: delivered at 2026-03-28 16:00:00 (60m ago)",
    "PROBLEM to cat: not delivered, failing since 2026-03-28 16:00:00 (60m ago), 12 attempts: connection refused",
    "PROBLEM to dan: not delivered, given up at 2026-03-28 16:00:00 (60m ago), 1 attempt: answered 404",
    "No further notification is scheduled: the escalation level does not repeat them (rule NO7).",
    "For another one: the status has to change, the problem to end, or the configuration to set `renotify_interval`.",
  ]);
});

test("[NO25] a reason that is over is named as such, and an object that is well has no escalation level", () => {
  const progress = { level: 0, sentAtLevel: 1, last: at("16:00:00"), next: at("18:00:00") };
  for (const reason of ["acknowledged", "downtime", "object_off", "program_off", "soft"]) {
    const sentences = explain({ ...broken, notification: { ...progress, because: { reason } } }).join("\n");
    assert.match(sentences, /was suppressed: .*\. That does not apply any more\./, reason);
    assert.match(sentences, /Next notification: 2026-03-28 18:00:00/, reason);
    assert.doesNotMatch(sentences, /_/, reason);
  }
  const well = explain({
    object: http,
    status: Status.OK,
    notification: { because: { reason: "problem_not_notified" } },
  });
  assert.deepEqual(well.slice(1, -1), [
    "The object has no problem, so there is nothing to notify.",
    "About the end of its last problem: no recipient was notified of the problem, so its end is not notified (rule NO14).",
  ]);
  assert.doesNotMatch(explain({ object: http, status: Status.OK, notification: {} }).join("\n"), /level|sent/);
});

test("[NO25] a delivery about an earlier problem is not that of the present one, and its time is not the last one", () => {
  const delivered = (kind: NotificationKind, contact: string) => ({
    ...{ contact, kind, state: DeliveryState.DELIVERED, since: at("16:00:00"), attempts: 1 },
  });
  const deliveries = [delivered(NotificationKind.RECOVERY, "ann"), delivered(NotificationKind.CUSTOM, "bea")];
  const because = { reason: "host_check_awaited", until: at("17:00:10") };
  const notification = { level: 0, sentAtLevel: 0, last: at("16:00:00"), because, deliveries };
  assert.deepEqual(explain({ ...broken, notification }).slice(1, -1), [
    "Escalation level 0: no notification of this problem decided yet.",
    "About an earlier problem: RECOVERY to ann: delivered at 2026-03-28 16:00:00 (60m ago)",
    "CUSTOM to bea: delivered at 2026-03-28 16:00:00 (60m ago)",
    "Suppressed: waiting for a check of its host, which may be the cause, until 2026-03-28 17:00:10 (rule NO6).",
    "For a notification: a check of the host has to end, or its timeout to pass.",
  ]);
});

test("[NO25] an object that is well has no reason that is over, and one without a policy no escalation level", () => {
  const well = (reason: string, row: { readonly flapping?: boolean } = {}) =>
    explain({ object: http, status: Status.OK, flapping: false, ...row, notification: { because: { reason } } });
  for (const reason of ["flapping", "downtime"])
    assert.deepEqual(well(reason).slice(1, -1), ["The object has no problem, so there is nothing to notify."], reason);
  assert.match(well("flapping", { flapping: true }).join("\n"), /About the end of its last problem: .*\(rule NO16\)\./);
  const unrouted = explain({ ...broken, notification: { because: { reason: "no_policy" } } });
  assert.equal(unrouted[1], "Suppressed: no notification policy applies to this object (rule NO1).");
});

test("[NO25] a reason that continues after its cause says so", () => {
  const reasonOf = (reason: string, row: { readonly flapping?: boolean; readonly suppressedBy?: string[] }) =>
    explain({ ...broken, ...row, notification: { because: { reason, name: "web1" } } })[2];
  assert.equal(reasonOf("host_down", { suppressedBy: ["web1"] }), 'Suppressed: its host "web1" is down (rule NO5).');
  assert.equal(
    reasonOf("host_down", {}),
    'Suppressed: its host "web1" recovered after the last result of the service (rule NO5).',
  );
  assert.match(reasonOf("flapping", { flapping: true }) ?? "", /suppressed while flapping/);
  assert.equal(
    reasonOf("flapping", { flapping: false }),
    "Suppressed: flapping has ended, and the next result is awaited (rule NO16).",
  );
});

test("[NO25] what is true now decides about the next notification", () => {
  const progress = { level: 0, sentAtLevel: 1, last: at("16:00:00"), next: at("18:00:00") };
  const now: [row: Partial<typeof broken>, condition: string][] = [
    [{}, "unless suppressed (rule NO7)"],
    [{ notificationsEnabled: false }, "but suppressed while notifications are disabled for the object (rule NO20)"],
    [{ acknowledgement: { author: "ann" } }, "but suppressed while the problem is acknowledged (rule NO17)"],
    [{ flapping: true }, "but suppressed while the object is flapping (rule NO16)"],
    [{ inDowntime: true }, "but suppressed while it is in downtime (rule NO18)"],
  ];
  for (const [row, condition] of now) {
    const sentences = explain({ ...broken, ...row, notification: { ...progress, because: { reason: "decided" } } });
    assert.ok(sentences.includes(`Next notification: 2026-03-28 18:00:00, ${condition}.`), condition);
  }
});

test("[NO25] each reason of a suppression names a rule of the documentation and what has to change", () => {
  const rules = readFileSync(new URL("../../../../docs/rules.md", import.meta.url), "utf8");
  for (const reason of notificationReasons) {
    if (reason === "decided") continue;
    const remedy = remedyFor(reason);
    assert.ok(remedy !== undefined && rules.includes(`**[${remedy.rule}]**`), reason);
  }
});

test("each reason has an explanation of its own; one of a newer server is printed as it is", () => {
  const texts = notificationReasons.map((reason) =>
    explainReason({ $typeName: "svc.v1.Because", reason, name: "x" }, screen),
  );
  assert.equal(new Set(texts).size, notificationReasons.length);
  for (const [at, reason] of notificationReasons.entries()) assert.ok(!texts[at]?.includes("_"), reason);
  assert.equal(explainReason({ $typeName: "svc.v1.Because", reason: "moon", name: "full" }, screen), 'moon "full"');
});

const servers: Server[] = [];
after(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(routes: (router: ConnectRouter) => void): Promise<string> {
  const server = createServer(connectNodeAdapter({ routes }));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function run(args: readonly string[]) {
  let [stdout, stderr] = ["", ""];
  const code = await runCli({
    args,
    env: {},
    clock: manualClock(nowMs),
    zone: "UTC",
    columns: undefined,
    colours: false,
    loginName: () => "ann",
    confirm: undefined,
    readPassword: async () => undefined,
    runAgent: async () => ({ code: 0, stdout: "" }),
    print: (text) => {
      stdout += text;
    },
    printError: (text) => {
      stderr += text;
    },
  });
  return { code, stdout, stderr };
}

test("explain requests the row and the last ten notification records, from an agent or an aggregator", async () => {
  const requests: unknown[] = [];
  const agent = await serve((router) =>
    router.service(QueryService, {
      getServerInfo: () => ({ realm: "fra", toggles: { notificationsEnabled: false } }),
      listStatus: () => ({ rows: [{ ...broken, output: "evil\u001b[2J" }] }),
      listHistory({ types, pageSize, object }) {
        requests.push([types, pageSize, object?.ref.case]);
        const because = { reason: "program_off" };
        return {
          records: [{ id: "7", at: at("16:00:00"), object: http, type: HistoryType.NOTIFICATION_SUPPRESSED, because }],
        };
      },
    }),
  );
  const table = await run(["explain", "web1!http", "-server", agent]);
  assert.deepEqual([table.code, table.stderr], [0, ""]);
  assert.match(table.stdout, /^web1!http is CRITICAL since .*: evil \[2J\n/);
  assert.match(table.stdout, /\nNotifications disabled for the whole realm\.\n/);
  assert.match(table.stdout, /notification suppressed +notifications are disabled for the whole realm\n$/);
  const json = JSON.parse((await run(["explain", "web1!http", "-server", agent, "-output", "json"])).stdout);
  assert.deepEqual(Object.keys(json), ["row", "explanation", "records"]);
  assert.deepEqual([json.row.status, json.records[0].id], ["STATUS_CRITICAL", "7"]);
  assert.deepEqual(requests[0], [[2, 19, 3, 4], 10, "service"]);

  const narrowed: ListStatusRequest[] = [];
  const centre = await serve((router) =>
    router.service(QueryService, {
      getServerInfo: () => ({ aggregator: true }),
      listStatus(request) {
        narrowed.push(request);
        const rows = ["fra", "nyc"].map((realm) => ({ ...broken, realm }));
        const realms = ["fra", "nyc"].map((name) => ({ name, reachable: name === "fra" }));
        return { rows: rows.filter(({ realm }) => request.realm === "" || realm === request.realm), realms };
      },
      listHistory: () => ({}),
    }),
  );
  const both = await run(["explain", "web1!http", "-server", centre]);
  assert.deepEqual([both.code, both.stdout], [2, ""]);
  assert.match(both.stderr, /is in several realms: choose one with -target-realm: fra, nyc\n$/);
  const one = await run(["explain", "web1!http", "-server", centre, "-target-realm", "nyc"]);
  assert.equal(one.code, 0);
  assert.match(
    one.stdout,
    /\nrealm nyc is unreachable and was never seen\n\nhistory has no record of a notification\n$/,
  );
  assert.equal(narrowed.at(-1)?.realm, "nyc");
  const none = await run(["explain", "web1!http", "-server", centre, "-target-realm", "moon"]);
  assert.deepEqual([none.code, none.stderr], [1, `realmwatch: ${centre} has no realm "moon"; it has fra, nyc\n`]);
  assert.match((await run(["explain", "!x", "-server", centre])).stderr, /is not an object/);
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
    "acknowledged             by svc for ann: on it",
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
      listHistory: () => ({ records: records.map(([record]) => ({ ...record, at: at("16:00:00"), object: http })) }),
    }),
  );
  const lines = (await run(["history", "-server", url])).stdout.trimEnd().split("\n").slice(1);
  assert.deepEqual(
    lines.map((line) => line.slice("2026-03-28 16:00:00  web1!http  ".length)),
    records.map(([, details]) => details),
  );
});

test("status -at requests the rows of that time, and ages count from it", async () => {
  const requests: ListStatusRequest[] = [];
  const url = await serve((router) =>
    router.service(QueryService, {
      listStatus(request) {
        requests.push(request);
        return { rows: [broken], summary: { counts: [{ status: 3, count: 1 }], unhandled: 1 } };
      },
    }),
  );
  const { stdout } = await run(["status", "-at", "16:00", "-server", url]);
  assert.match(stdout, /web1!http +60m /);
  assert.match(stdout, /\nstate at 2026-03-28 16:00:00\n$/);
  assert.deepEqual(requests[0]?.at?.seconds, at("16:00:00").seconds);
  assert.match((await run(["status", "-at", "soon", "-server", url])).stderr, /^realmwatch: -at: "soon" is not a time/);
});

test("[NO25] status names each failing contact before anything else", async () => {
  const url = await serve((router) =>
    router.service(QueryService, {
      listStatus: () => ({ rows: [broken], summary: { counts: [{ status: 3, count: 1 }], unhandled: 1 } }),
      listContacts: () => ({
        contacts: [
          { name: "ops", realm: "fra", failingSince: at("16:45:00"), queued: 3, lastError: "connection refused" },
          { name: "ann", realm: "nyc", lastError: "timeout" },
        ],
      }),
    }),
  );
  const [first = ""] = (await run(["status", "-server", url])).stdout.split("\n");
  assert.equal(
    first,
    "CONTACT FAILING: ops of realm fra has taken no notification for 15m (since 2026-03-28 16:45:00), 3 notifications queued: connection refused",
  );
  assert.doesNotMatch((await run(["status", "-server", url, "-realm", "nyc"])).stdout, /CONTACT/);
  assert.doesNotMatch((await run(["status", "-at", "16:00", "-server", url])).stdout, /CONTACT/);
});
