import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type MetricStore, openMetricStore } from "@realmwatch/agent/metric-store/metric-store";
import { sleep } from "@realmwatch/shared/model/clock";
import { perfPoint } from "@realmwatch/shared/model/perfdata";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { withTestScope } from "../bench-agent.ts";
import type { BenchRow } from "../bench-row.ts";
import { sized } from "../runner/bench-size.ts";
import { compareTcpChecks } from "./bench-tcp-checks.ts";

const dayMs = 86_400_000;
/** Interval of the points: 288 a day, so that filling 100 000 series takes minutes and not hours. */
const stepMs = 300_000;
/** Number of series that are compared with 100. */
const manySeries = sized(100_000, 10_000);
/** Queries of which the middle one counts. */
const queries = 41;
/** Pace of the points beside the checks, as many as the specification asks for. */
const pointsPerSecond = 30_000;

/** Runs `work` with a store in a folder of its own. */
async function withStore<T>(work: (store: MetricStore) => Promise<T>): Promise<T> {
  const dataDir = mkdtempSync(join(tmpdir(), "realmwatch-bench-"));
  try {
    const opened = await openMetricStore({ dataDir, retentionMs: 1e12, maxBytes: 1e12, clock: systemClock });
    if (!opened.ok) throw new Error(opened.error);
    const { store } = opened.value;
    const result = await work(store);
    await store.close();
    return result;
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Records a day of `series` series, then measures how long a day of one of them takes to read, ms. */
const dayOfOneMetric = (series: number): Promise<number> =>
  withStore(async (store) => {
    const startMs = systemClock.now() - dayMs;
    for (let atMs = startMs; atMs < startMs + dayMs; atMs += stepMs) {
      for (let at = 0; at < series; at += 1) {
        const perfdata = [perfPoint("time", Math.round(12_000 * (0.7 + 0.6 * Math.random())) / 1e6, "s")];
        store.record({ ref: `web${at}!http`, atMs: atMs + (at % 1_000), perfdata });
        // Waits for the thread, so that no point is dropped.
        if (at % 20_000 === 19_999) await store.metricsOf("web0!http");
      }
      await store.metricsOf("web0!http");
    }
    const { dropped } = store.health();
    if (dropped > 0) throw new Error(`${dropped} points were dropped`);
    const times: number[] = [];
    for (let query = 0; query < queries; query += 1) {
      const beganMs = performance.now();
      // Times may be stored in whole seconds, so that the first point can be a little before its time.
      const range = { fromMs: startMs - 1_000, toMs: startMs + dayMs };
      const ref = `web${Math.floor((query / queries) * series)}!http`;
      const found = await store.points({ ref, label: "time", range, stepMs: 0 });
      times.push(performance.now() - beganMs);
      const points = found.ok ? (found.value[0]?.points.length ?? 0) : 0;
      if (points !== dayMs / stepMs) throw new Error(`${ref} has ${points} points`);
    }
    return times.sort((a, b) => a - b)[Math.floor(queries / 2)] ?? 0;
  });

/** Measures a day of one metric out of 100 and out of 100 000 series. The ratio is to be 3 at most. */
export async function benchDayOfOneMetric(): Promise<BenchRow[]> {
  const few = "a day of one metric out of 100 series";
  const note = `288 points, middle of ${queries} queries`;
  return [
    { name: few, rate: await dayOfOneMetric(100), unit: "ms", note },
    {
      name: `a day of one metric out of ${manySeries} series`,
      rate: await dayOfOneMetric(manySeries),
      unit: "ms",
      note,
      against: few,
    },
  ];
}

/** Measures checks at full speed without recording, and beside 30 000 recorded points a second. */
export const benchChecksBesideRecording = (): Promise<BenchRow[]> =>
  withTestScope((scope) =>
    withStore(async (store) => {
      let recorded = 0;
      const { alone, beside } = await compareTcpChecks(scope, async ({ isOver, elapsedMs }) => {
        let own = 0;
        while (!isOver()) {
          const due = (elapsedMs() / 1_000) * pointsPerSecond;
          for (; own < due; own += 1, recorded += 1)
            store.record({ ref: `web${recorded % 100_000}!http`, atMs: Date.now(), perfdata: [perfPoint("n", own)] });
          await sleep(systemClock, 10);
        }
      });
      const without = "tcp checks without recording";
      return [
        { name: without, rate: alone, unit: "checks/s" },
        {
          name: "tcp checks beside 30 000 recorded points/s",
          rate: beside,
          unit: "checks/s",
          note: `${store.health().dropped} of ${recorded} points dropped`,
          against: without,
        },
      ];
    }),
  );
