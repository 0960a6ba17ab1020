import { join } from "node:path";
import type { PerfdataSample } from "@realmwatch/agent/engine/perfdata-sample";
import { openJournal } from "@realmwatch/agent/journal/threads/open-journal";
import { realmPlan } from "@realmwatch/agent/realm/fixtures/realm-plan.fixture";
import { Sinks } from "@realmwatch/agent/sink-worker/sinks";
import { sinkPlanOf } from "@realmwatch/agent/sinks/sinks.fixture";
import type { SinkPlan } from "@realmwatch/shared/config/plan";
import { sleep } from "@realmwatch/shared/model/clock";
import { perfPoint } from "@realmwatch/shared/model/perfdata";
import { openLog } from "@realmwatch/shared/platform/log/log";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { blankMetadata } from "@realmwatch/shared/row/metadata-fields";
import { tempFolder } from "../../run/processes.ts";
import {
  isInstalled,
  startClickHouse,
  startHttp,
  startOtlp,
  startPrometheus,
  startS3,
} from "../../run/sink-receivers.ts";
import { withTestScope } from "../bench-agent.ts";
import type { BenchRow } from "../bench-row.ts";
import { sized } from "../runner/bench-size.ts";
import { compareTcpChecks } from "./bench-tcp-checks.ts";

const objects = 4_000;
const labels = ["time", "size", "load1", "load5", "load15"];
const rounds = sized(20, 4);
const points = objects * labels.length * rounds;
const events = sized(50_000, 10_000);
/** Pace of the points beside the checks, as many as the specification asks for. */
const pointsPerSecond = 20_000;

const abouts = Array.from({ length: objects }, (_, at) => ({
  ...blankMetadata,
  key: { kind: "service", host: `host-${Math.floor(at / 4)}`, name: `service-${at % 4}` } as const,
  ...{ labels: { env: "prod", team: `team-${at % 7}` }, checkType: "http", zone: "default" },
}));

const sampleOf = (at: number, atMs: number): PerfdataSample => ({
  about: abouts[at % objects] as (typeof abouts)[number],
  atMs,
  perfdata: labels.map((label, index) => ({
    ...perfPoint(label, at + index / 10, index === 0 ? "ms" : ""),
    warn: "500",
  })),
});

/** Sinks in an empty data directory with a journal, as an agent opens them. */
async function openBenchSinks(scope: TestScope) {
  const dataDir = tempFolder(scope, "sinks");
  const opened = await openJournal({ dataDir, realm: "bench", historyRetentionMs: 3_600_000, clock: systemClock });
  if (!opened.ok) throw new Error(opened.error);
  await opened.value.recover(() => {});
  const log = await openLog({ level: "error", format: "json" });
  const sinks = new Sinks({ clock: systemClock, log, dataDir, realm: "bench", lastHistorySeq: 0, outboundDeny: "" });
  atEnd(scope, async () => {
    await sinks.close(1_000);
    await opened.value.close();
  });
  return { sinks, journal: opened.value };
}

const deliveredBy = (sinks: Sinks, name: string): number =>
  sinks.statuses().find((status) => status.name === name)?.counts.delivered ?? 0;

/** Real systems that take performance data, as plans of one sink each. */
async function metricReceivers(scope: TestScope): Promise<SinkPlan[]> {
  const folder = tempFolder(scope, "received");
  const http = await startHttp(scope, (request, response) => request.resume().on("end", () => response.end()));
  const otlp = await startOtlp(scope);
  const more = { batchSize: 5_000, flushIntervalMs: 100, cursor: "", headers: {} };
  const plans = [
    sinkPlanOf({ ...more, name: "file", type: "file", path: join(folder, "out"), rotateBytes: 1e9 }),
    sinkPlanOf({ ...more, name: "http", type: "http", url: http }),
    sinkPlanOf({ ...more, name: "exec", type: "exec", command: ["/bin/sh", "-c", `exec cat > ${folder}/exec`] }),
    sinkPlanOf({ ...more, name: "otlp", type: "otlp", url: otlp.url }),
  ];
  if (isInstalled("prometheus")) {
    const url = `${(await startPrometheus(scope)).url}/api/v1/write`;
    plans.push(sinkPlanOf({ ...more, name: "remote_write", type: "remote_write", url }));
  }
  if (isInstalled("clickhouse-server")) {
    const { url } = await startClickHouse(scope);
    plans.push(sinkPlanOf({ ...more, name: "columnar_db", type: "columnar_db", url, table: "perfdata" }));
  }
  return plans;
}

/** Measures each sink alone: points from the thread of the engine into the real system. */
export const benchSinkSpeed = (): Promise<BenchRow[]> =>
  withTestScope(async (scope) => {
    const rows: BenchRow[] = [];
    const { sinks } = await openBenchSinks(scope);
    for (const plan of await metricReceivers(scope)) {
      await sinks.configure(realmPlan([], { sinks: [plan] }));
      const startedMs = performance.now();
      const atMs = Date.now();
      let feedMs = 0;
      for (let round = 0; round < rounds; round += 1) {
        const samples = abouts.map((_, at) => sampleOf(at, atMs + round));
        const feedingMs = performance.now();
        sinks.perfdataReceived(samples, 0);
        feedMs += performance.now() - feedingMs;
        await sleep(systemClock, 0);
      }
      await until(`${plan.name} has all points`, () => deliveredBy(sinks, plan.name) >= points, { withinMs: 180_000 });
      const seconds = (performance.now() - startedMs) / 1_000;
      const note = `${((feedMs / points) * 1_000).toFixed(2)} µs of the engine's thread a point`;
      rows.push({ name: `sink ${plan.name}`, rate: points / seconds, unit: "points/s", note });
    }
    return rows;
  });

/** Measures the archives: events from the journal into a folder and into an object store. */
export const benchArchiveSpeed = (): Promise<BenchRow[]> =>
  withTestScope(async (scope) => {
    const { env } = await startS3(scope, "bench");
    Object.assign(process.env, env);
    const { sinks, journal } = await openBenchSinks(scope);
    const more = { input: "events", batchSize: 5_000, flushIntervalMs: 100, segmentBytes: 67_108_864 };
    const url = `file://${tempFolder(scope, "archive")}`;
    const plans = [
      sinkPlanOf({ ...more, name: "folder", type: "archive", url }),
      sinkPlanOf({ ...more, name: "store", type: "archive", url: "s3://bench/realm" }),
    ];
    await sinks.configure(realmPlan([], { sinks: plans }));
    const history = Array.from({ length: events }, (_, at) => ({
      ...{ atMs: Date.now(), type: "state", key: abouts[at % objects]?.key, status: "critical", previousStatus: "ok" },
      ...{ stateType: "hard", attempt: 3, output: "the service did not answer within 10 s" },
    })) as never;
    const appended = await journal.append({
      ...{ history, states: [], notifications: [], delivered: [], appliedCommandSeq: 0, program: undefined },
    } as never);
    if (!appended.ok) throw new Error("the journal refused the events");
    const startedMs = performance.now();
    sinks.historyAdvanced(events);
    const rows: BenchRow[] = [];
    for (const { name } of plans) {
      await until(`${name} has all events`, () => deliveredBy(sinks, name) >= events, { withinMs: 120_000 });
      const seconds = (performance.now() - startedMs) / 1_000;
      rows.push({ name: `sink archive, ${name}`, rate: events / seconds, unit: "events/s", note: "both at a time" });
    }
    return rows;
  });

/** Measures checks at full speed without sinks, and beside all sinks with 20 000 points a second and a dead one. */
export const benchChecksBesideSinks = (): Promise<BenchRow[]> =>
  withTestScope(async (scope) => {
    const { sinks } = await openBenchSinks(scope);
    const dead = sinkPlanOf({ name: "dead", type: "http", url: "http://127.0.0.1:1", headers: {}, cursor: "" });
    await sinks.configure(realmPlan([], { sinks: [...(await metricReceivers(scope)), dead] }));
    let at = 0;
    const { alone, beside } = await compareTcpChecks(scope, async ({ isOver, elapsedMs }) => {
      let fed = 0;
      while (!isOver()) {
        const due = (elapsedMs() / 1_000) * (pointsPerSecond / labels.length);
        const samples: PerfdataSample[] = [];
        for (; fed < due; fed += 1, at += 1) samples.push(sampleOf(at, Date.now()));
        sinks.perfdataReceived(samples, 0);
        await sleep(systemClock, 10);
      }
    });
    const dropped = sinks.droppedPoints();
    return [
      { name: "tcp checks without points", rate: alone, unit: "checks/s" },
      {
        name: "tcp checks beside 20 000 points/s into every sink",
        rate: beside,
        unit: "checks/s",
        note: `one of the sinks is dead; ${dropped} points dropped`,
        against: "tcp checks without points",
      },
    ];
  });
