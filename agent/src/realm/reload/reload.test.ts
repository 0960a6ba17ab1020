import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObjectPlan, RealmPlan } from "@realmwatch/shared/config/plan";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { refOf } from "@realmwatch/shared/model/object-key";
import type { Row as StatusRow } from "@realmwatch/shared/model/row";
import { realmPlan } from "../fixtures/realm-plan.fixture.ts";
import { host, notifiesAnn, openTestRealm, process, service } from "../fixtures/test-realm.fixture.ts";

type TestRealm = Awaited<ReturnType<typeof openTestRealm>>;

const minuteMs = 60_000;
const passive = { check: { type: "passive", freshnessThresholdMs: 10 * minuteMs, staleStatus: "unknown" } } as const;
const patient = (attempts: number) => ({
  schedule: {
    ...{ checkIntervalMs: 10 * minuteMs, retryIntervalMs: 5 * minuteMs, timeoutMs: 10_000, checkPeriod: "" },
    maxAttempts: attempts,
  },
});
const contact = (name: string) =>
  [name, { name, type: "email", labels: {}, notificationPeriod: "", address: "x", groupWaitMs: 0 }] as const;
const both: Partial<RealmPlan> = {
  contacts: new Map([contact("ann"), contact("bea")]),
  policies: new Map([
    [
      "all",
      {
        period: "",
        levels: [{ contacts: ["ann", "bea"], threshold: 0, renotifyIntervalMs: 0, disabledKinds: [], period: "" }],
      },
    ],
  ]),
};
const endless: Partial<RealmPlan> = {
  ...notifiesAnn,
  policies: new Map([
    [
      "all",
      {
        period: "",
        levels: [
          { contacts: ["ann"], threshold: 0, renotifyIntervalMs: 0, disabledKinds: ["RECOVERY"] as const, period: "" },
        ],
      },
    ],
  ]),
};

let plans = 0;
/** A plan with digests, by which objects of two plans are compared. */
function planOf(objects: readonly ObjectPlan[], more: Partial<RealmPlan> = notifiesAnn): RealmPlan {
  plans += 1;
  const named = objects.map((object) => ({ ...object, digest: JSON.stringify(object) }));
  return realmPlan(named, { ...more, hash: String(plans) });
}

const web = host("web", passive);
const db = host("db", passive);
const labelled = { ...web, ...patient(3), about: { ...web.about, labels: { team: "front" } } };

type Row = {
  readonly name: string;
  readonly before: RealmPlan;
  readonly after: RealmPlan;
  act(it: TestRealm): Promise<void>;
  /** Continues with the new configuration. */
  later?(it: TestRealm): Promise<void>;
  /** Notifications from the change on, as `contact KIND ref`. */
  readonly notified: readonly string[];
  /** History entries from the change on, without that of the configuration itself. */
  readonly history: readonly string[];
};

const down = async (it: TestRealm): Promise<void> => {
  await it.send("web", "ok");
  await it.send("web", "critical");
};
const up = (it: TestRealm): Promise<void> => it.send("web", "ok");
const around = (it: TestRealm) => ({
  startMs: it.clock.now(),
  endMs: it.clock.now() + 60 * minuteMs,
  comment: "works",
});

const rows: readonly Row[] = [
  {
    name: "an object is removed after its problem was notified",
    before: planOf([web, db]),
    after: planOf([db]),
    act: down,
    notified: ["ann RECOVERY web"],
    history: ["notification_queued web RECOVERY ann"],
  },
  {
    name: "downtimes, triggered downtimes, comments and acknowledgement are removed with their object",
    before: planOf([web, db]),
    after: planOf([db]),
    async act(it) {
      await down(it);
      const shape = { kind: "fixed" } as const;
      await it.command({ kind: "acknowledge_problem", refs: ["web"], sticky: true, notify: false, comment: "mine" });
      await it.command({ kind: "add_comment", ref: "web", id: "c1", text: "why" });
      await it.command({ kind: "schedule_downtime", downtimes: [{ id: "d1", ref: "web" }], ...around(it), shape });
      const triggered = { kind: "triggered", triggeredBy: "d1" } as const;
      const downtimes = [{ id: "d2", ref: "db" }];
      await it.command({ kind: "schedule_downtime", downtimes, ...around(it), shape: triggered });
    },
    notified: ["ann RECOVERY web", "ann DOWNTIME_CANCELLED db"],
    history: [
      "notification_queued web RECOVERY ann",
      "downtime_cancelled web d1",
      "comment_deleted web c1",
      "acknowledgement_removed web",
      "downtime_cancelled db d2",
      "notification_queued db DOWNTIME_CANCELLED ann",
    ],
  },
  {
    name: "a notified contact is removed together with the object",
    before: planOf([web, db], both),
    after: planOf([db], notifiesAnn),
    act: down,
    notified: ["ann RECOVERY web"],
    history: ["notification_queued web RECOVERY ann", "notification_suppressed web RECOVERY contact_off bea"],
  },
  {
    name: "all contacts and the policy are removed together with the object",
    before: planOf([web, db], both),
    after: planOf([db], { policies: new Map(), contacts: new Map() }),
    act: down,
    notified: [],
    history: [
      "notification_suppressed web RECOVERY contact_off ann",
      "notification_suppressed web RECOVERY contact_off bea",
    ],
  },
  {
    name: "the recovery of a removed object has its labels and attempts",
    before: planOf([labelled, db]),
    after: planOf([db]),
    async act(it) {
      for (const _ of [1, 2, 3]) await it.send("web", "critical");
    },
    notified: ["ann RECOVERY web"],
    history: ["notification_queued web RECOVERY ann"],
  },
  {
    name: "an object is removed whose policy disables recoveries",
    before: planOf([web, db], endless),
    after: planOf([db], endless),
    act: down,
    notified: [],
    history: ["notification_suppressed web RECOVERY kind_disabled"],
  },
  {
    name: "an object is removed while notifications are off",
    before: planOf([web, db]),
    after: planOf([db]),
    async act(it) {
      await down(it);
      await it.command({ kind: "set_program_notifications", enabled: false });
    },
    notified: [],
    history: ["notification_suppressed web RECOVERY program_off"],
  },
  {
    name: "an object without a problem is removed",
    before: planOf([web, db]),
    after: planOf([db]),
    act: up,
    notified: [],
    history: [],
  },
  {
    name: "a key is renamed",
    before: planOf([web, db]),
    after: planOf([host("web2", passive), db]),
    act: down,
    later: (it) => it.send("web2", "critical"),
    notified: ["ann RECOVERY web", "ann PROBLEM web2"],
    history: [
      "notification_queued web RECOVERY ann",
      "state web2 critical hard 1",
      "notification_queued web2 PROBLEM ann",
    ],
  },
  {
    name: "a host becomes a service",
    before: planOf([web, db]),
    after: planOf([host("db", { ...passive, services: ["db!web"] }), service("db", "web", passive)]),
    act: down,
    notified: ["ann RECOVERY web"],
    history: ["notification_queued web RECOVERY ann"],
  },
  {
    name: "a host becomes a process",
    before: planOf([web, db]),
    after: planOf([db, process("web", "db")]),
    act: down,
    notified: ["ann RECOVERY web"],
    history: ["notification_queued web RECOVERY ann"],
  },
  {
    name: "a contact is removed after it was notified of a problem",
    before: planOf([web], both),
    after: planOf([web], { ...both, ...notifiesAnn }),
    act: down,
    later: up,
    notified: ["ann RECOVERY web"],
    history: ["state web ok hard 1", "notification_queued web RECOVERY ann"],
  },
  {
    name: "a disabled contact is removed, and enabled when it is added again",
    before: planOf([web], both),
    after: planOf([web], notifiesAnn),
    async act(it) {
      await it.command({ kind: "set_contact_notifications", contact: "bea", enabled: false });
    },
    async later(it) {
      assert.deepEqual(it.realm.program.disabledContacts, []);
    },
    notified: [],
    history: [],
  },
  {
    name: "the policy is removed after a problem was notified",
    before: planOf([web]),
    after: planOf([{ ...web, policy: "" }]),
    act: down,
    later: up,
    notified: [],
    history: ["state web ok hard 1", "notification_suppressed web RECOVERY no_policy"],
  },
  {
    name: "a policy is added to an object with a problem",
    before: planOf([{ ...web, policy: "" }]),
    after: planOf([web]),
    act: down,
    notified: ["ann PROBLEM web"],
    history: ["notification_queued web PROBLEM ann"],
  },
  {
    name: "max_attempts is lowered below the current attempt",
    before: planOf([{ ...web, ...patient(5) }]),
    after: planOf([{ ...web, ...patient(2) }]),
    async act(it) {
      for (const _ of [1, 2, 3]) await it.send("web", "critical");
    },
    later: (it) => it.send("web", "critical"),
    notified: ["ann PROBLEM web"],
    history: ["state web critical hard 2", "notification_queued web PROBLEM ann"],
  },
  {
    name: "max_attempts is raised during a hard problem",
    before: planOf([{ ...web, ...patient(1) }]),
    after: planOf([{ ...web, ...patient(4) }]),
    act: down,
    later: (it) => it.send("web", "critical"),
    notified: [],
    history: [],
  },
  {
    name: "the parents change to one that is down",
    before: planOf([host("web", { ...passive, parents: [] }), db]),
    after: planOf([host("web", { ...passive, parents: ["db"] }), host("db", { ...passive, children: ["web"] })]),
    async act(it) {
      await it.send("db", "critical");
      await down(it);
    },
    later: (it) => it.send("web", "critical"),
    notified: [],
    history: ["state web unreachable hard 1"],
  },
  {
    name: "[FR7] a check becomes passive: its freshness threshold begins",
    before: planOf([host("web", patient(1))]),
    after: planOf([host("web", passive)]),
    async act(it) {
      await it.send("web", "ok", { origin: "active" });
      await it.pass(9 * minuteMs);
    },
    async later(it) {
      assert.equal(it.rows.get("web")?.nextCheckAtMs, undefined);
      await it.pass(9 * minuteMs);
      assert.equal(it.rows.get("web")?.status, "ok");
      await it.pass(minuteMs);
    },
    notified: ["ann PROBLEM web"],
    history: ["state web unknown hard 1", "notification_queued web PROBLEM ann"],
  },
  {
    name: "a check becomes active",
    before: planOf([web]),
    after: planOf([host("web", patient(1))]),
    act: down,
    async later(it) {
      await it.pass(10 * minuteMs);
      assert.deepEqual(it.checks, ["web"]);
    },
    notified: [],
    history: [],
  },
  {
    name: "[FR7] a freshness threshold is lowered: it counts from the change",
    before: planOf([web]),
    after: planOf([
      host("web", { check: { type: "passive", freshnessThresholdMs: 2 * minuteMs, staleStatus: "unknown" } }),
    ]),
    async act(it) {
      await up(it);
      await it.pass(5 * minuteMs);
    },
    later: (it) => it.pass(2 * minuteMs),
    notified: ["ann PROBLEM web"],
    history: ["state web unknown hard 1", "notification_queued web PROBLEM ann"],
  },
  {
    name: "a check is changed: it runs within a retry interval",
    before: planOf([host("web", { ...patient(1), check: { type: "tcp", host: "a", port: 1 } })]),
    after: planOf([host("web", { ...patient(1), check: { type: "tcp", host: "a", port: 2 } })]),
    act: (it) => it.pass(1),
    notified: [],
    history: [],
  },
];

const formatEntry = ({ type, key, contact = "", ...more }: HistoryEntry): string => {
  const { notificationKind = "", status = "", stateType = "", attempt = "", because, downtimeId, commentId } = more;
  const name = key === undefined ? "" : refOf(key);
  const what = type === "state" ? [status, stateType, attempt] : [notificationKind, contact];
  const why = type === "notification_suppressed" ? [because?.reason, because?.name] : [];
  const id = type.startsWith("downtime_") ? downtimeId : type.startsWith("comment_") ? commentId : "";
  return [type, name, ...what, ...why, id].filter((word) => word !== "" && word !== undefined).join(" ");
};

/** Runs a realm with the first configuration, changes it to the second one, and returns the effects. */
async function change({ before, after, act, later }: Row, how: "reload" | "restart") {
  const first = await openTestRealm(before);
  first.start();
  await first.settle();
  await act(first);
  const atChange =
    how === "reload" ? { notifications: first.notifications.length, history: first.history.length } : undefined;
  first.checks.length = 0;
  const it = how === "reload" ? first : await restart(first, after);
  if (how === "reload") {
    const swapped = first.swap(after);
    await first.settle();
    await swapped;
  }
  await it.settle();
  await later?.(it);
  const changes = [...it.loop.allRows()].flatMap((notified) => (notified.kind === "put" ? [notified.row] : []));
  const left = [...it.states.keys()].filter((ref) => !after.objects.has(ref));
  const effects = {
    notifications: it.notifications.slice(atChange?.notifications),
    // A start has less information about the previous configuration than a reload.
    history: it.history.slice(atChange?.history).filter(({ type }) => type !== "config"),
    rows: changes.map((one) => ({ ...one, revision: 0 })).sort(byRef),
    left,
  };
  // As serialized, without undefined fields.
  return JSON.parse(JSON.stringify(effects)) as typeof effects;
}

const byRef = (one: StatusRow, other: StatusRow): number => (refOf(one.about.key) < refOf(other.about.key) ? -1 : 1);

async function restart(first: TestRealm, after: RealmPlan): Promise<TestRealm> {
  await first.stop(0);
  const it = await openTestRealm(after, first.stored(), first.clock.now());
  it.start();
  return it;
}

for (const row of rows)
  test(`[RL7-RL9] by a reload and by a restart: ${row.name}`, async () => {
    const reloaded = await change(row, "reload");
    assert.deepEqual(
      reloaded.notifications.map(({ contact: name, kind, key }) => `${name} ${kind} ${refOf(key)}`),
      row.notified,
    );
    assert.deepEqual(reloaded.history.map(formatEntry), row.history);
    assert.deepEqual(reloaded.left, []);
    assert.deepEqual(await change(row, "restart"), reloaded);
  });
