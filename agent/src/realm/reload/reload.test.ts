import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObjectPlan, RealmPlan } from "@realmwatch/shared/config/plan";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { refOf } from "@realmwatch/shared/model/object-key";
import type { Row as StatusRow } from "@realmwatch/shared/model/row";
import { host, openTestRealm, process, service, notifiesAnn } from "../fixtures/test-realm.fixture.ts";
import { realmPlan } from "../fixtures/realm-plan.fixture.ts";

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
/** A plan whose objects differ from another one's where their text does, as the compiler has it. */
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
  /** Goes on under the new document. */
  later?(it: TestRealm): Promise<void>;
  /** Messages from the change on, as `contact KIND ref`. */
  readonly told: readonly string[];
  /** What history says from the change on, without the record of the document itself. */
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
    name: "an object is taken out while somebody knows of its problem",
    before: planOf([web, db]),
    after: planOf([db]),
    act: down,
    told: ["ann RECOVERY web"],
    history: ["notification web RECOVERY ann"],
  },
  {
    name: "with it go its downtimes, those they trigger elsewhere, its comments and its acknowledgement",
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
    told: ["ann RECOVERY web", "ann DOWNTIME_CANCELLED db"],
    history: [
      "notification web RECOVERY ann",
      "downtime_cancelled web d1",
      "comment_deleted web c1",
      "acknowledgement_removed web",
      "downtime_cancelled db d2",
      "notification db DOWNTIME_CANCELLED ann",
    ],
  },
  {
    name: "a contact that knows is gone with the object",
    before: planOf([web, db], both),
    after: planOf([db], notifiesAnn),
    act: down,
    told: ["ann RECOVERY web"],
    history: ["notification web RECOVERY ann", "notification_suppressed web RECOVERY contact_off bea"],
  },
  {
    name: "all contacts and the policy are gone with the object",
    before: planOf([web, db], both),
    after: planOf([db], { policies: new Map(), contacts: new Map() }),
    act: down,
    told: [],
    history: [
      "notification_suppressed web RECOVERY contact_off ann",
      "notification_suppressed web RECOVERY contact_off bea",
    ],
  },
  {
    name: "what is told of an object that is gone has its labels and attempts",
    before: planOf([labelled, db]),
    after: planOf([db]),
    async act(it) {
      for (const _ of [1, 2, 3]) await it.send("web", "critical");
    },
    told: ["ann RECOVERY web"],
    history: ["notification web RECOVERY ann"],
  },
  {
    name: "an object is taken out whose policy does not want ends",
    before: planOf([web, db], endless),
    after: planOf([db], endless),
    act: down,
    told: [],
    history: ["notification_suppressed web RECOVERY kind_disabled"],
  },
  {
    name: "an object is taken out while notifications are off",
    before: planOf([web, db]),
    after: planOf([db]),
    async act(it) {
      await down(it);
      await it.command({ kind: "set_program_notifications", enabled: false });
    },
    told: [],
    history: ["notification_suppressed web RECOVERY program_off"],
  },
  {
    name: "an object that is well is taken out",
    before: planOf([web, db]),
    after: planOf([db]),
    act: up,
    told: [],
    history: [],
  },
  {
    name: "a key is renamed",
    before: planOf([web, db]),
    after: planOf([host("web2", passive), db]),
    act: down,
    later: (it) => it.send("web2", "critical"),
    told: ["ann RECOVERY web", "ann PROBLEM web2"],
    history: ["notification web RECOVERY ann", "state web2 critical hard 1", "notification web2 PROBLEM ann"],
  },
  {
    name: "a host becomes a service",
    before: planOf([web, db]),
    after: planOf([host("db", { ...passive, services: ["db!web"] }), service("db", "web", passive)]),
    act: down,
    told: ["ann RECOVERY web"],
    history: ["notification web RECOVERY ann"],
  },
  {
    name: "a host becomes a process",
    before: planOf([web, db]),
    after: planOf([db, process("web", "db")]),
    act: down,
    told: ["ann RECOVERY web"],
    history: ["notification web RECOVERY ann"],
  },
  {
    name: "a contact is removed while it knows of a problem",
    before: planOf([web], both),
    after: planOf([web], { ...both, ...notifiesAnn }),
    act: down,
    later: up,
    told: ["ann RECOVERY web"],
    history: ["state web ok hard 1", "notification web RECOVERY ann"],
  },
  {
    name: "a contact that was switched off is removed, and switched on where it comes again",
    before: planOf([web], both),
    after: planOf([web], notifiesAnn),
    async act(it) {
      await it.command({ kind: "set_contact_notifications", contact: "bea", enabled: false });
    },
    async later(it) {
      assert.deepEqual(it.realm.program.disabledContacts, []);
    },
    told: [],
    history: [],
  },
  {
    name: "a policy is taken away while somebody knows of a problem",
    before: planOf([web]),
    after: planOf([{ ...web, policy: "" }]),
    act: down,
    later: up,
    told: [],
    history: ["state web ok hard 1", "notification_suppressed web RECOVERY no_policy"],
  },
  {
    name: "a policy is given to an object with a problem",
    before: planOf([{ ...web, policy: "" }]),
    after: planOf([web]),
    act: down,
    told: ["ann PROBLEM web"],
    history: ["notification web PROBLEM ann"],
  },
  {
    name: "max_attempts is lowered below the attempt that was reached",
    before: planOf([{ ...web, ...patient(5) }]),
    after: planOf([{ ...web, ...patient(2) }]),
    async act(it) {
      for (const _ of [1, 2, 3]) await it.send("web", "critical");
    },
    later: (it) => it.send("web", "critical"),
    told: ["ann PROBLEM web"],
    history: ["state web critical hard 2", "notification web PROBLEM ann"],
  },
  {
    name: "max_attempts is raised above that of a problem that is believed",
    before: planOf([{ ...web, ...patient(1) }]),
    after: planOf([{ ...web, ...patient(4) }]),
    act: down,
    later: (it) => it.send("web", "critical"),
    told: [],
    history: [],
  },
  {
    name: "parents change, and the only one is down",
    before: planOf([host("web", { ...passive, parents: [] }), db]),
    after: planOf([host("web", { ...passive, parents: ["db"] }), host("db", { ...passive, children: ["web"] })]),
    async act(it) {
      await it.send("db", "critical");
      await down(it);
    },
    later: (it) => it.send("web", "critical"),
    told: [],
    history: ["state web unreachable hard 1"],
  },
  {
    name: "[FR7] a check becomes passive: whoever sends has a whole threshold",
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
    told: ["ann PROBLEM web"],
    history: ["state web unknown hard 1", "notification web PROBLEM ann"],
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
    told: [],
    history: [],
  },
  {
    name: "[FR7] a threshold is lowered: silence counts from the change",
    before: planOf([web]),
    after: planOf([
      host("web", { check: { type: "passive", freshnessThresholdMs: 2 * minuteMs, staleStatus: "unknown" } }),
    ]),
    async act(it) {
      await up(it);
      await it.pass(5 * minuteMs);
    },
    later: (it) => it.pass(2 * minuteMs),
    told: ["ann PROBLEM web"],
    history: ["state web unknown hard 1", "notification web PROBLEM ann"],
  },
  {
    name: "a check is another one: it runs within a retry interval",
    before: planOf([host("web", { ...patient(1), check: { type: "tcp", host: "a", port: 1 } })]),
    after: planOf([host("web", { ...patient(1), check: { type: "tcp", host: "a", port: 2 } })]),
    act: (it) => it.pass(1),
    told: [],
    history: [],
  },
];

const showEntry = ({ type, key, contact = "", ...more }: HistoryEntry): string => {
  const { notificationKind = "", status = "", stateType = "", attempt = "", because, downtimeId, commentId } = more;
  const name = key === undefined ? "" : refOf(key);
  const what = type === "state" ? [status, stateType, attempt] : [notificationKind, contact];
  const why = type === "notification_suppressed" ? [because?.reason, because?.name] : [];
  const id = type.startsWith("downtime_") ? downtimeId : type.startsWith("comment_") ? commentId : "";
  return [type, name, ...what, ...why, id].filter((word) => word !== "" && word !== undefined).join(" ");
};

/** Has a realm live under the first document, makes the second one its own, and answers what came of it. */
async function change({ before, after, act, later }: Row, how: "reload" | "restart") {
  const first = await openTestRealm(before);
  first.start();
  await first.settle();
  await act(first);
  const seen = how === "reload" ? { messages: first.messages.length, history: first.history.length } : undefined;
  first.checks.length = 0;
  const it = how === "reload" ? first : await startAnew(first, after);
  if (how === "reload") {
    const swapped = first.swap(after);
    await first.settle();
    await swapped;
  }
  await it.settle();
  await later?.(it);
  const changes = [...it.loop.allRows()].flatMap((told) => (told.kind === "put" ? [told.row] : []));
  const left = [...it.states.keys()].filter((ref) => !after.objects.has(ref));
  const came = {
    messages: it.messages.slice(seen?.messages),
    // How much is known of the document before differs.
    history: it.history.slice(seen?.history).filter(({ type }) => type !== "config"),
    rows: changes.map((one) => ({ ...one, revision: 0 })).sort(byRef),
    left,
  };
  // As readers get it: what is undefined is not there.
  return JSON.parse(JSON.stringify(came)) as typeof came;
}

const byRef = (one: StatusRow, other: StatusRow): number => (refOf(one.about.key) < refOf(other.about.key) ? -1 : 1);

async function startAnew(first: TestRealm, after: RealmPlan): Promise<TestRealm> {
  await first.stop(0);
  const it = await openTestRealm(after, first.kept(), first.clock.now());
  it.start();
  return it;
}

for (const row of rows)
  test(`[RL7-RL9] by a reload and by a start: ${row.name}`, async () => {
    const reloaded = await change(row, "reload");
    assert.deepEqual(
      reloaded.messages.map(({ contact: name, kind, key }) => `${name} ${kind} ${refOf(key)}`),
      row.told,
    );
    assert.deepEqual(reloaded.history.map(showEntry), row.history);
    assert.deepEqual(reloaded.left, []);
    assert.deepEqual(await change(row, "restart"), reloaded);
  });
