import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { ObjectPlan, RealmPlan, SloPlan } from "@realmwatch/shared/config/plan";
import type { Downtime } from "@realmwatch/shared/model/downtime";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { keyOf } from "@realmwatch/shared/model/object-key";
import type { Status } from "@realmwatch/shared/model/status";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { journalBatch, openTestJournals } from "../journal/journal.fixture.ts";
import type { ReadonlyRecord } from "../realm/state/realm-reader.ts";
import { measuredEngine } from "./measured-realm.ts";
import { ServiceLevels } from "./service-levels.ts";

const hourMs = 3_600_000;
const startMs = Date.parse("2026-03-02T00:00:00Z");
const at = (hours: number): number => startMs + hours * hourMs;

const slo = (more: Partial<SloPlan> = {}): SloPlan => ({
  name: "shop",
  selector: "app=shop",
  target: 99,
  period: "",
  excludeDowntimes: true,
  downStatuses: ["warning", "critical", "unknown", "unreachable"],
  notification: "",
  ...more,
});

function objectOf(ref: string, labels: Record<string, string>): ObjectPlan {
  const key = keyOf(ref);
  const about = { key, labels, zone: "default", checkType: "tcp" };
  return { ref, key, about, ...(key.kind === "service" ? { host: key.host } : {}) } as unknown as ObjectPlan;
}

const state = (
  ref: string,
  hours: number,
  [previousStatus, status]: [Status, Status],
  more: Partial<HistoryEntry> = {},
): HistoryEntry => ({
  atMs: at(hours),
  type: "state",
  key: keyOf(ref),
  status,
  previousStatus,
  stateType: "hard",
  ...more,
});

function downtime(ref: string, type: HistoryEntry["type"], hours: number, untilHours: number): HistoryEntry {
  const by = { author: "ann", onBehalfOf: "", comment: "" };
  const planned: Downtime = {
    ...{ id: "d1", shape: { kind: "fixed" }, startMs: at(hours), endMs: at(untilHours), ...by },
    inEffect: true,
  };
  return { atMs: at(hours), type, key: keyOf(ref), downtimeId: "d1", downtime: planned };
}

/** Service levels over a real journal with these records; `nowHours` after the start. */
async function openLevels(
  t: TestContext,
  {
    history,
    slos,
    nowHours = 100,
    labels = { app: "shop" },
  }: {
    readonly history: readonly HistoryEntry[];
    readonly slos: readonly SloPlan[];
    readonly nowHours?: number;
    readonly labels?: Record<string, string>;
  },
) {
  const journals = openTestJournals((end) => t.after(end));
  const journal = await journals.open(journals.newDir());
  await journal.recover(() => {});
  await journal.keepEpoch(at(0));
  await journal.append(journalBatch({ history }));
  const refs = ["web1", "web1!http", "web2!http"];
  const objects = new Map(refs.map((ref) => [ref, objectOf(ref, ref.includes("!") ? labels : {})]));
  const timeperiods = new Map([
    ["office", { timezone: "UTC", ranges: { monday: "09:00-17:00", tuesday: "09:00-17:00" }, exclude: [] }],
  ]);
  const plan = { objects, slos, timeperiods } as unknown as RealmPlan;
  const last = (ref: string) =>
    history.findLast((entry) => entry.type === "state" && entry.key !== undefined && `${ref}` === refOfEntry(entry));
  const records = new Map(
    [...objects].map(([ref, object]): [string, ReadonlyRecord] => [
      ref,
      {
        plan: object,
        state: { lastHardStatus: last(ref)?.status ?? "pending", lastHardChangeAtMs: last(ref)?.atMs, downtimes: [] },
      } as unknown as [string, ReadonlyRecord][1],
    ]),
  );
  const clock = { ...systemClock, now: () => at(nowHours) };
  const levels = new ServiceLevels({ realm: measuredEngine({ name: "r", plan, records }), journal, clock });
  const report = async (fromHours: number, toHours: number, name = "") => {
    const answer = await levels.report({ slo: name, range: { fromMs: at(fromHours), toMs: at(toHours) } });
    if (!answer.ok) assert.fail(JSON.stringify(answer.error));
    return answer.value;
  };
  return { levels, report, journal };
}

const refOfEntry = ({ key }: HistoryEntry): string =>
  key === undefined ? "" : key.kind === "service" ? `${key.host}!${key.name}` : key.name;

const hoursOf = (times: { readonly byStatus: ReadonlyMap<string, number> } | undefined) =>
  Object.fromEntries([...(times?.byStatus ?? [])].map(([status, ms]) => [status, ms / hourMs]));

const okAt0: HistoryEntry[] = [state("web1!http", 1, ["pending", "ok"]), state("web2!http", 1, ["pending", "ok"])];

test("[SL1, SL6, SL7] hours up and down of all objects give achievement and budget; pending counts as neither", async (t) => {
  const history = [
    ...okAt0,
    state("web1!http", 11, ["ok", "critical"], { stateType: "soft" }),
    state("web1!http", 12, ["critical", "critical"]),
    state("web1!http", 14, ["critical", "ok"]),
  ];
  const { report } = await openLevels(t, { history, slos: [slo()] });
  const [shop] = await report(0, 101);
  assert.deepEqual(
    shop?.objects.map(({ about: { key }, times }) => [key.kind === "service" && key.host, hoursOf(times)]),
    [
      ["web1", { pending: 1, ok: 97, critical: 2, none: 1 }],
      ["web2", { pending: 1, ok: 99, none: 1 }],
    ],
  );
  assert.equal(shop?.achieved, (196 / 198) * 100);
  assert.ok(Math.abs((shop?.budgetLeft ?? 0) - (1 - 2 / 1.98)) < 1e-9);
  assert.equal(shop?.burnRate, undefined, "the last hour has not come yet");
  assert.equal((await report(0, 100))[0]?.burnRate, 0);
});

test("[SL6, SL7, SL8, SL13] a month before the realm existed has no figure, and no evidence", async (t) => {
  const { report } = await openLevels(t, {
    history: okAt0,
    slos: [slo(), slo({ name: "none", selector: "app=none" })],
  });
  for (const { achieved, budgetLeft, burnRate, evidence } of await report(-720, -1))
    assert.deepEqual(
      { achieved, budgetLeft, burnRate, evidence },
      {
        ...{ achieved: undefined, budgetLeft: undefined, burnRate: undefined, evidence: 0 },
      },
    );
});

test("[SL13] evidence is the share of the range that is up, down or excluded downtime, inside the period", async (t) => {
  const history = [
    ...okAt0,
    downtime("web1!http", "downtime_start", 20, 30),
    downtime("web1!http", "downtime_end", 30, 30),
    { atMs: at(40), type: "gap", stoppedAtMs: at(35) } as const,
  ];
  const slos = [slo(), slo({ name: "counted", excludeDowntimes: false }), slo({ name: "office", period: "office" })];
  const { report } = await openLevels(t, { history, slos });
  const evidenceOf = async (from: number, to: number, name: string) => {
    const [one] = await report(from, to, name);
    return [one?.evidence, one?.objects.map(({ evidence }) => evidence)];
  };
  assert.deepEqual(await evidenceOf(10, 30, "shop"), [100, [100, 100]], "excluded downtime is known");
  assert.deepEqual(await evidenceOf(10, 30, "counted"), [100, [100, 100]]);
  assert.deepEqual(await evidenceOf(0, 10, "shop"), [90, [90, 90]], "pending time is not");
  assert.deepEqual(await evidenceOf(30, 50, "shop"), [75, [75, 75]], "nor is a gap");
  // The second office day is from hour 33 to 41.
  assert.deepEqual(await evidenceOf(24, 48, "office"), [37.5, [37.5, 37.5]]);
  assert.deepEqual(await evidenceOf(100, 148, "shop"), [0, [0, 0]], "nor is the future");
});

test("[SL3, SL4] a downtime whose beginning was deleted lasts no longer than the history", async (t) => {
  const history = [...okAt0, downtime("web1!http", "downtime_end", 10, 10)];
  const { report } = await openLevels(t, { history, slos: [slo()] });
  const [shop] = await report(-720, 20);
  assert.equal((shop?.objects[0]?.times.downtimeMs ?? 0) / hourMs, 10);
});

test("[SL6] a status that is not among the down statuses is up", async (t) => {
  const history = [...okAt0, state("web1!http", 50, ["ok", "warning"])];
  const { report } = await openLevels(t, { history, slos: [slo({ downStatuses: ["critical"] })] });
  assert.equal((await report(0, 100))[0]?.achieved, 100);
});

test("[SL8] the burn rate is that of the last hour of the range", async (t) => {
  const history = [...okAt0, state("web1!http", 9.5, ["ok", "critical"]), state("web1!http", 20, ["critical", "ok"])];
  const { report } = await openLevels(t, { history, slos: [slo()] });
  const [shop] = await report(2, 10);
  // Half an hour of two object hours.
  assert.ok(Math.abs((shop?.burnRate ?? 0) - 25) < 1e-9);
});

test("[SL5] only time within the period counts", async (t) => {
  const history = [...okAt0, state("web1!http", 8, ["ok", "critical"]), state("web1!http", 10, ["critical", "ok"])];
  const { report } = await openLevels(t, { history, slos: [slo({ period: "office" })] });
  const [shop] = await report(0, 48);
  assert.deepEqual(hoursOf(shop?.objects[0]?.times), { ok: 15, critical: 1 });
});

test("[SL3] a downtime of the service or of its host is left out, or counted as well", async (t) => {
  const history = [
    ...okAt0,
    state("web1!http", 9, ["ok", "critical"]),
    downtime("web1", "downtime_start", 10, 20),
    downtime("web1", "downtime_end", 20, 20),
  ];
  const both = [slo(), slo({ name: "all", excludeDowntimes: false })];
  const { report } = await openLevels(t, { history, slos: both });
  const [shop, all] = await report(8, 24);
  assert.deepEqual(hoursOf(shop?.objects[0]?.times), { ok: 1, critical: 5 });
  assert.deepEqual(hoursOf(all?.objects[0]?.times), { ok: 1, critical: 15 });
  assert.deepEqual(
    [shop, all].map((one) => (one?.objects[0]?.times.downtimeMs ?? 0) / hourMs),
    [10, 10],
  );
});

test("[SL4, SL9] time without a running agent is no evidence, from its last record or sign of life on", async (t) => {
  const history: HistoryEntry[] = [
    ...okAt0,
    state("web1!http", 9, ["ok", "critical"]),
    { atMs: at(20), type: "gap", stoppedAtMs: at(8.5) },
    { atMs: at(30), type: "gap", stoppedAtMs: at(26) },
  ];
  const { report } = await openLevels(t, { history, slos: [slo()] });
  assert.deepEqual(hoursOf((await report(0, 40))[0]?.objects[0]?.times), { pending: 1, ok: 8, critical: 16, none: 15 });
});

test("[SL4] history that the retention has deleted is no evidence, and what came after it is", async (t) => {
  const journals = openTestJournals((end) => t.after(end));
  const clock = manualClock(at(50));
  const dir = journals.newDir();
  const journal = await journals.open(dir, { historyRetentionMs: 30 * hourMs, clock });
  await journal.recover(() => {});
  await journal.keepEpoch(at(0));
  const old = state("web1", 1, ["pending", "ok"]);
  await journal.append(journalBatch({ history: [old, state("web1", 40, ["ok", "critical"])] }));
  assert.deepEqual((await coverageOf(journal)).sinceMs, at(0));
  clock.advance(60_000);
  const isDeleted = async () => (await coverageOf(journal)).sinceMs !== at(0);
  await until("the retention has deleted the first hours", isDeleted);
  assert.equal((await coverageOf(journal)).sinceMs, at(20) + 60_000);
});

async function coverageOf(journal: Awaited<ReturnType<ReturnType<typeof openTestJournals>["open"]>>) {
  const coverage = await journal.coverage({ fromMs: at(0), toMs: at(100) });
  return coverage.ok ? coverage.value : assert.fail("the journal cannot be read");
}

test("[SL10] an unknown objective is refused", async (t) => {
  const { levels } = await openLevels(t, { history: okAt0, slos: [slo()] });
  const answer = await levels.report({ slo: "nope", range: { fromMs: at(0), toMs: at(1) } });
  assert.deepEqual(answer, { ok: false, error: { kind: "missing", what: 'slo: service level objective "nope"' } });
});

test("[SL2] an object with very many changes is read in parts", async (t) => {
  const history: HistoryEntry[] = [...okAt0];
  for (let n = 0; n < 5_000; n += 1) {
    const before: Status = n % 2 === 0 ? "ok" : "critical";
    history.push(state("web1!http", 2 + n / 1_000, [before, before === "ok" ? "critical" : "ok"]));
  }
  const { report } = await openLevels(t, { history, slos: [slo()] });
  const { critical = 0, ok = 0 } = hoursOf((await report(2, 7))[0]?.objects[0]?.times);
  assert.ok(Math.abs(critical - 2.5) < 1e-6 && Math.abs(ok - 2.5) < 1e-6, `${critical} ${ok}`);
});
