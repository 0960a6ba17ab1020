import assert from "node:assert/strict";
import { test } from "node:test";
import { host } from "../fixtures/test-realm.fixture.ts";
import {
  assertSameByReloadAndRestart,
  dbHost,
  minuteMs,
  passiveCheck,
  patientSchedule,
  planOf,
  type ReloadCase,
  sendDown,
  sendUp,
  webHost,
} from "./reload.fixture.ts";

const rows: readonly ReloadCase[] = [
  {
    name: "max_attempts is lowered below the current attempt",
    before: planOf([{ ...webHost, ...patientSchedule(5) }]),
    after: planOf([{ ...webHost, ...patientSchedule(2) }]),
    async act(it) {
      for (const _ of [1, 2, 3]) await it.send("web", "critical");
    },
    later: (it) => it.send("web", "critical"),
    notified: ["ann PROBLEM web"],
    history: ["state web critical hard 2", "notification_queued web PROBLEM ann"],
  },
  {
    name: "max_attempts is raised during a hard problem",
    before: planOf([{ ...webHost, ...patientSchedule(1) }]),
    after: planOf([{ ...webHost, ...patientSchedule(4) }]),
    act: sendDown,
    later: (it) => it.send("web", "critical"),
    notified: [],
    history: [],
  },
  {
    name: "the parents change to one that is down",
    before: planOf([host("web", { ...passiveCheck, parents: [] }), dbHost]),
    after: planOf([
      host("web", { ...passiveCheck, parents: ["db"] }),
      host("db", { ...passiveCheck, children: ["web"] }),
    ]),
    async act(it) {
      await it.send("db", "critical");
      await sendDown(it);
    },
    later: (it) => it.send("web", "critical"),
    notified: [],
    history: ["state web unreachable hard 1"],
  },
  {
    name: "[FR7] a check becomes passive: its freshness threshold begins",
    before: planOf([host("web", patientSchedule(1))]),
    after: planOf([host("web", passiveCheck)]),
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
    before: planOf([webHost]),
    after: planOf([host("web", patientSchedule(1))]),
    act: sendDown,
    async later(it) {
      await it.pass(10 * minuteMs);
      assert.deepEqual(it.checks, ["web"]);
    },
    notified: [],
    history: [],
  },
  {
    name: "[FR7] a freshness threshold is lowered: it counts from the change",
    before: planOf([webHost]),
    after: planOf([
      host("web", { check: { type: "passive", freshnessThresholdMs: 2 * minuteMs, staleStatus: "unknown" } }),
    ]),
    async act(it) {
      await sendUp(it);
      await it.pass(5 * minuteMs);
    },
    later: (it) => it.pass(2 * minuteMs),
    notified: ["ann PROBLEM web"],
    history: ["state web unknown hard 1", "notification_queued web PROBLEM ann"],
  },
  {
    name: "a check is changed: it runs within a retry interval",
    before: planOf([host("web", { ...patientSchedule(1), check: { type: "tcp", host: "a", port: 1 } })]),
    after: planOf([host("web", { ...patientSchedule(1), check: { type: "tcp", host: "a", port: 2 } })]),
    act: (it) => it.pass(1),
    notified: [],
    history: [],
  },
];

for (const row of rows)
  test(`[RL7-RL9] by a reload and by a restart: ${row.name}`, () => assertSameByReloadAndRestart(row));
