import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { metricFile } from "@realmwatch/agent/metric-store/metric-database";
import { openMetricStore } from "@realmwatch/agent/metric-store/metric-store";
import { perfPoint } from "@realmwatch/shared/model/perfdata";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import type { BenchRow } from "./bench-row.ts";
import { sized } from "./runner/bench-size.ts";

const services = 2_000;
const hours = sized(12, 2);
const minuteMs = 60_000;

/** Measures how fast points are taken and stored, and their size on disk: 2 000 services with 4 metrics for 12 hours. */
export async function benchMetricStore(): Promise<BenchRow[]> {
  const dataDir = mkdtempSync(join(tmpdir(), "realmwatch-bench-"));
  const startMs = systemClock.now() - hours * 60 * minuteMs;
  try {
    const opened = await openMetricStore({ dataDir, retentionMs: 1e12, maxBytes: 1e12, clock: systemClock });
    if (!opened.ok) throw new Error(opened.error);
    const { store } = opened.value;
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const startedMs = performance.now();
    let engineMs = 0;
    for (let minute = 0; minute < hours * 60; minute += 1) {
      for (let service = 0; service < services; service += 1) {
        const perfdata = [
          perfPoint("time", Math.round(12_000 * (0.7 + 0.6 * Math.random())) / 1e6, "s"),
          perfPoint("load", Math.round(100 * (2 + Math.random())) / 100),
          perfPoint("size", 15_412, "B"),
          perfPoint("free", 83_214_012_416 - 4_096 * Math.round(minute * 40 + 1_000 * Math.random()), "B"),
        ];
        const beforeMs = performance.now();
        const atMs = startMs + minute * minuteMs + service * 30 + Math.round(20 * Math.random());
        store.record({ ref: `web${service}!http`, atMs, perfdata });
        engineMs += performance.now() - beforeMs;
      }
      // Waits for the thread, so that the rate is that of the disk.
      const waited = await store.metricsOf("web1!http");
      if (!waited.ok) throw new Error("the store failed");
    }
    const tookMs = performance.now() - startedMs;
    delay.disable();
    const { recorded, dropped } = store.health();
    const queryMs = performance.now();
    const answer = await store.points({
      ...{ ref: "web7!http", label: "time", stepMs: 0 },
      range: { fromMs: startMs, toMs: startMs + hours * 60 * minuteMs },
    });
    const readMs = performance.now() - queryMs;
    await store.close();
    const bytes = statSync(join(dataDir, metricFile)).size;
    const points = recorded - dropped;
    const found = answer.ok ? answer.value.reduce((sum, metric) => sum + metric.points.length, 0) : 0;
    return [
      { name: "points stored", rate: (points / tookMs) * 1_000, unit: "points/s", note: `${dropped} dropped` },
      { name: "engine thread", rate: (engineMs / points) * 1e6, unit: "ns/point", note: "sending included" },
      { name: "size on disk", rate: bytes / points, unit: "bytes/point", note: `${points} points of 8 000 series` },
      { name: `query of ${hours} hours`, rate: readMs, unit: "ms", note: `${found} points` },
    ];
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
