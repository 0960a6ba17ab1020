import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { perfPoint } from "@realmwatch/shared/model/perfdata";
import { seededRandom } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { averageSteps } from "./average-steps.ts";
import { storeMaintenance } from "./maintain-store.ts";
import { metricFile, openMetricDatabase } from "./metric-database.ts";
import { type MetricStore, type MetricStoreOptions, openMetricStore } from "./metric-store.ts";
import { SeriesStore } from "./series-store.ts";

const hourMs = 3_600_000;
const startMs = Date.parse("2026-03-10T12:00:00Z");
const everything = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };

function tempDir(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "realmwatch-metrics-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function open(t: TestContext, dataDir: string, more: Partial<MetricStoreOptions> = {}): Promise<MetricStore> {
  const clock = manualClock(startMs);
  const opened = await openMetricStore({ dataDir, retentionMs: 48 * hourMs, maxBytes: 1e9, clock, ...more });
  if (!opened.ok) assert.fail(opened.error);
  t.after(() => opened.value.store.close());
  return opened.value.store;
}

async function pointsOf(
  store: MetricStore,
  ref: string,
  label: string,
  more: { range?: typeof everything; stepMs?: number } = {},
) {
  const found = await store.points({ ref, label, range: everything, stepMs: 0, ...more });
  if (!found.ok) assert.fail(JSON.stringify(found.error));
  return found.value;
}

const valuesOf = async (store: MetricStore, ref: string, label: string): Promise<number[]> =>
  (await pointsOf(store, ref, label)).flatMap(({ points }) => points.map(({ value }) => value));

test("[MT2] what was recorded is found at once, by object, label and unit, and after a restart", async (t) => {
  const dataDir = tempDir(t);
  const store = await open(t, dataDir);
  for (let n = 0; n < 500; n += 1)
    store.record({
      ref: "web1!http",
      atMs: startMs + n * 60_000,
      perfdata: [
        perfPoint("time", n / 1000, "s"),
        perfPoint("size", 512, "B"),
        { ...perfPoint("none", 0), value: undefined },
      ],
    });
  store.record({ ref: "web1!http", atMs: startMs + 500 * 60_000, perfdata: [perfPoint("time", 7, "ms")] });
  assert.deepEqual(await store.metricsOf("web1!http"), {
    ok: true,
    value: [
      { label: "size", uom: "B" },
      { label: "time", uom: "s" },
      { label: "time", uom: "ms" },
    ],
  });
  const expected = Array.from({ length: 500 }, (_, n) => ({ atMs: startMs + n * 60_000, value: n / 1000 }));
  const check = async (opened: MetricStore): Promise<void> => {
    const [seconds, milliseconds] = await pointsOf(opened, "web1!http", "time");
    assert.deepEqual(seconds, { uom: "s", points: expected });
    assert.deepEqual(
      milliseconds?.points.map(({ value }) => value),
      [7],
    );
    assert.deepEqual(await pointsOf(opened, "web2", "time"), []);
  };
  await check(store);
  await store.close();
  const again = await open(t, dataDir);
  await check(again);
  again.record({ ref: "web1!http", atMs: startMs + 501 * 60_000, perfdata: [perfPoint("time", 1, "s")] });
  assert.equal((await valuesOf(again, "web1!http", "time")).length, 502);
});

test("[MT2] one result is recorded once, and results in any order are sorted by time", async (t) => {
  const store = await open(t, tempDir(t));
  const { upTo } = seededRandom(3);
  const minutes = Array.from({ length: 400 }, (_, n) => n).sort(() => upTo(2) - 1);
  for (const n of minutes) {
    const result = { ref: "web1", atMs: startMs + n * 60_000, perfdata: [perfPoint("load", n)] };
    store.record(result);
    store.record(result);
  }
  assert.deepEqual(
    await valuesOf(store, "web1", "load"),
    minutes.sort((a, b) => a - b),
  );
});

test("[MT3] points of a step are averaged, and a single one keeps its time", async (t) => {
  const points = [0, 10, 50, 60, 185].map((seconds) => ({ atMs: startMs + seconds * 1000, value: seconds }));
  const expected = [
    { atMs: startMs, value: 20 },
    { atMs: startMs + 60_000, value: 60 },
    { atMs: startMs + 185_000, value: 185 },
  ];
  assert.deepEqual(averageSteps(points, { fromMs: startMs, stepMs: 60_000 }), expected);
  const store = await open(t, tempDir(t));
  for (const { atMs, value } of points) store.record({ ref: "web1", atMs, perfdata: [perfPoint("x", value)] });
  const range = { fromMs: startMs, toMs: startMs + 180_000 };
  const [found] = await pointsOf(store, "web1", "x", { range, stepMs: 60_000 });
  assert.deepEqual(found?.points, expected.slice(0, 2));
});

/** Store without a thread, with one series of a point a minute. */
function openSeries(t: TestContext, count: number) {
  const db = openMetricDatabase(join(tempDir(t), metricFile), () => {});
  t.after(() => db.close());
  const store = new SeriesStore(db);
  const [id = 0] = store.open([{ ref: "web1", label: "x", uom: "" }]);
  for (let n = 0; n < count; n += 1) store.add([id], [startMs + n * 60_000], [n % 10]);
  store.writeAll();
  return { db, store, id };
}

test("[MT4] points older than the retention are deleted, and those older than a quarter of it are averages", (t) => {
  const count = 60 * 48;
  const { db, store, id } = openSeries(t, count);
  const nowMs = startMs + count * 60_000;
  storeMaintenance({ db, store }, { retentionMs: 24 * hourMs, maxBytes: 1e9 })(nowMs);
  const found = store.points(id, everything);
  const chunkMs = 180 * 60_000;
  assert.ok((found[0]?.atMs ?? 0) >= nowMs - 24 * hourMs - chunkMs);
  const old = found.filter(({ atMs }) => atMs < nowMs - 6 * hourMs - chunkMs);
  const gaps = new Set(old.slice(1).map(({ atMs }, at) => atMs - (old[at]?.atMs ?? 0)));
  assert.deepEqual([...gaps], [300_000]);
  assert.ok(old.every(({ value }) => value === 2 || value === 7));
  assert.equal(found.filter(({ atMs }) => atMs >= nowMs - 6 * hourMs).length, 360);
  storeMaintenance({ db, store }, { retentionMs: hourMs, maxBytes: 1e9 })(nowMs + 100 * hourMs);
  assert.deepEqual([store.points(id, everything), db.countSeries()], [[], 0]);
});

test("[MT4] above its greatest size the store deletes the oldest points first", (t) => {
  const count = 60 * 48 + 30;
  const { db, store, id } = openSeries(t, count);
  const before = store.points(id, everything).length;
  storeMaintenance({ db, store }, { retentionMs: 1e12, maxBytes: 1 })(startMs);
  const left = store.points(id, everything);
  assert.ok(left.length < before && left.length > 0);
  assert.equal(left.at(-1)?.atMs, startMs + (count - 1) * 60_000);
});

test("[MT5] a damaged file is moved away and the store begins anew", async (t) => {
  const dataDir = tempDir(t);
  writeFileSync(join(dataDir, metricFile), "no database".repeat(1000));
  const clock = manualClock(startMs);
  const opened = await openMetricStore({ dataDir, retentionMs: hourMs, maxBytes: 1e9, clock });
  assert.ok(opened.ok);
  t.after(() => opened.value.store.close());
  assert.equal(opened.value.movedTo, `${join(dataDir, metricFile)}.damaged`);
  opened.value.store.record({ ref: "web1", atMs: startMs, perfdata: [perfPoint("x", 1)] });
  assert.deepEqual(await valuesOf(opened.value.store, "web1", "x"), [1]);
});

test("[MT2] waiting points are sent after a moment, and counted", async (t) => {
  const clock = manualClock(startMs);
  const store = await open(t, tempDir(t), { clock });
  store.record({ ref: "web1", atMs: startMs, perfdata: [perfPoint("x", 1), perfPoint("y", 2)] });
  clock.advance(10_000);
  await until("the thread has counted its series", () => store.health().series === 2);
  assert.equal(store.health().recorded, 2);
});
