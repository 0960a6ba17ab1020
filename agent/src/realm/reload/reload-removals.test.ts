import { test } from "node:test";
import type { RealmPlan } from "@realmwatch/shared/config/plan";
import { host, notifiesAnn, policyAll, process, service } from "../fixtures/test-realm.fixture.ts";
import {
  assertSameByReloadAndRestart,
  bothContacts,
  dbHost,
  minuteMs,
  passiveCheck,
  patientSchedule,
  planOf,
  type ReloadCase,
  type ReloadedRealm,
  sendDown,
  sendUp,
  webHost,
} from "./reload.fixture.ts";

const endless: Partial<RealmPlan> = { ...notifiesAnn, policies: policyAll("ann", { disabledKinds: ["RECOVERY"] }) };

const labelled = { ...webHost, ...patientSchedule(3), about: { ...webHost.about, labels: { team: "front" } } };
const around = (it: ReloadedRealm) => ({
  startMs: it.clock.now(),
  endMs: it.clock.now() + 60 * minuteMs,
  comment: "works",
});

const rows: readonly ReloadCase[] = [
  {
    name: "an object is removed after its problem was notified",
    before: planOf([webHost, dbHost]),
    after: planOf([dbHost]),
    act: sendDown,
    notified: ["ann RECOVERY web"],
    history: ["notification_queued web RECOVERY ann"],
  },
  {
    name: "downtimes, triggered downtimes, comments and acknowledgement are removed with their object",
    before: planOf([webHost, dbHost]),
    after: planOf([dbHost]),
    async act(it) {
      await sendDown(it);
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
    before: planOf([webHost, dbHost], bothContacts),
    after: planOf([dbHost], notifiesAnn),
    act: sendDown,
    notified: ["ann RECOVERY web"],
    history: ["notification_queued web RECOVERY ann", "notification_suppressed web RECOVERY contact_off bea"],
  },
  {
    name: "all contacts and the policy are removed together with the object",
    before: planOf([webHost, dbHost], bothContacts),
    after: planOf([dbHost], { policies: new Map(), contacts: new Map() }),
    act: sendDown,
    notified: [],
    history: [
      "notification_suppressed web RECOVERY contact_off ann",
      "notification_suppressed web RECOVERY contact_off bea",
    ],
  },
  {
    name: "the recovery of a removed object has its labels and attempts",
    before: planOf([labelled, dbHost]),
    after: planOf([dbHost]),
    async act(it) {
      for (const _ of [1, 2, 3]) await it.send("web", "critical");
    },
    notified: ["ann RECOVERY web"],
    history: ["notification_queued web RECOVERY ann"],
  },
  {
    name: "an object is removed whose policy disables recoveries",
    before: planOf([webHost, dbHost], endless),
    after: planOf([dbHost], endless),
    act: sendDown,
    notified: [],
    history: ["notification_suppressed web RECOVERY kind_disabled"],
  },
  {
    name: "an object is removed while notifications are off",
    before: planOf([webHost, dbHost]),
    after: planOf([dbHost]),
    async act(it) {
      await sendDown(it);
      await it.command({ kind: "set_program_notifications", enabled: false });
    },
    notified: [],
    history: ["notification_suppressed web RECOVERY program_off"],
  },
  {
    name: "an object without a problem is removed",
    before: planOf([webHost, dbHost]),
    after: planOf([dbHost]),
    act: sendUp,
    notified: [],
    history: [],
  },
  {
    name: "a key is renamed",
    before: planOf([webHost, dbHost]),
    after: planOf([host("web2", passiveCheck), dbHost]),
    act: sendDown,
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
    before: planOf([webHost, dbHost]),
    after: planOf([host("db", { ...passiveCheck, services: ["db!web"] }), service("db", "web", passiveCheck)]),
    act: sendDown,
    notified: ["ann RECOVERY web"],
    history: ["notification_queued web RECOVERY ann"],
  },
  {
    name: "a host becomes a process",
    before: planOf([webHost, dbHost]),
    after: planOf([dbHost, process("web", "db")]),
    act: sendDown,
    notified: ["ann RECOVERY web"],
    history: ["notification_queued web RECOVERY ann"],
  },
];

for (const row of rows)
  test(`[RL7-RL9] by a reload and by a restart: ${row.name}`, () => assertSameByReloadAndRestart(row));
