import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { CheckResult } from "@realmwatch/agent/engine/input";
import { openLoader } from "@realmwatch/shared/load/load-document";
import { staticSample } from "@realmwatch/shared/load/static-sample.fixture";
import { sleep } from "@realmwatch/shared/model/clock";
import { perfPoint } from "@realmwatch/shared/model/perfdata";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { openBenchRealm } from "./bench-realm.ts";
import type { BenchRow } from "./bench-row.ts";
import { sized } from "./runner/bench-size.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Time to wait for the release of memory, ms: V8 keeps freed pages for 8 s. */
const releaseMs = 12_000;

async function memoryMiB(): Promise<{ readonly rss: number; readonly heap: number }> {
  for (let n = 0; n < 3; n += 1) collect();
  await sleep(systemClock, releaseMs);
  const { rss, heapUsed } = process.memoryUsage();
  return { rss: rss / 2 ** 20, heap: heapUsed / 2 ** 20 };
}

const resultOf = (index: number, round: number): CheckResult => ({
  status: "ok",
  output: `HTTP/1.1 200 OK - ${4_000 + index} bytes in ${0.01 + round / 1000} second response time`,
  longOutput: "",
  perfdata: [perfPoint("time", 0.01 + round / 1000 + index / 1e6, "s")],
  executedAtMs: Date.now(),
  latencyMs: 1 + (index % 7),
  executionMs: 12 + (index % 11),
  source: "bench",
  origin: "active",
});

/** Measures the memory of 100 000 services: configuration, state, rows, schedule and journal. */
export async function benchMemory(): Promise<BenchRow[]> {
  const before = await memoryMiB();
  const loader = openLoader(systemClock);
  const loaded = await loader.plan({
    source: {
      kind: "text",
      text: staticSample({ hosts: sized(10_000, 2_000), servicesPerHost: 10 }),
      name: "bench.cue",
    },
    options: { realm: "bench", localZone: "UTC" },
  });
  await loader.close();
  if (!loaded.ok) throw new Error(loaded.error[0]?.message);
  const plan = loaded.value.value;
  const { open, close } = await openBenchRealm({ plan, run: () => new Promise(() => {}) });
  open.start();
  open.scheduler.stop();
  const refs = [...plan.objects.keys()];
  for (let round = 0; round < 3; round += 1)
    for (let at = 0; at < refs.length; at += 2_000) {
      for (const [n, ref] of refs.slice(at, at + 2_000).entries())
        open.inputs.submitResult(ref, resultOf(at + n, round));
      await open.loop.settled();
    }
  const after = await memoryMiB();
  await close(0);
  const perObject = (mib: number): number => (mib * 2 ** 20) / refs.length;
  return [
    {
      name: "memory per object",
      rate: perObject(after.rss - before.rss),
      unit: "bytes",
      note: `${refs.length} objects; heap and outside`,
    },
    { name: "of it in the heap", rate: perObject(after.heap - before.heap), unit: "bytes" },
    { name: "the process", rate: after.rss, unit: "MiB" },
  ];
}
