import { monitorEventLoopDelay } from "node:perf_hooks";
import { openLoader } from "@realmwatch/shared/load/load-document";
import { sleep } from "@realmwatch/shared/model/clock";
import { outcome } from "@realmwatch/shared/model/outcome";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { openBenchRealm } from "./bench-realm.ts";
import type { BenchRow } from "./bench-row.ts";
import { sized } from "./runner/bench-size.ts";

const flap = { enabled: false };
const hosts = sized(10_000, 2_000);
const intervalMs = sized(20_000, 5_000);
const check = { type: "tcp", address: "127.0.0.1:1", check_interval: `${intervalMs}ms`, flap };

/** Document with ten services for each host as plain data; two documents differ in `port` only. */
function documentOf(port: number): string {
  const services = Object.fromEntries(Array.from({ length: 10 }, (_, s) => [`service-${s}`, { check }]));
  const all = Array.from({ length: hosts }, (_, h) => [`host-${h}`, { address: "127.0.0.1", check, services }]);
  const last = { address: "127.0.0.1", check: { ...check, address: `127.0.0.1:${port}` }, services: {} };
  return `hosts: ${JSON.stringify(Object.fromEntries([...all, ["last", last]]))}\n`;
}

/** Measures the delay of checks when one of 110 001 objects changes, all of them checked every 20 s. */
export async function benchReload(): Promise<BenchRow[]> {
  const loader = openLoader(systemClock);
  const load = async (text: string) => {
    const source = { kind: "text", text, name: "bench.cue" } as const;
    const loaded = await loader.plan({ source, options: { realm: "bench", localZone: "UTC" } });
    if (!loaded.ok) throw new Error(loaded.error[0]?.message);
    return loaded.value.value;
  };
  // Generated beforehand: generating a document of this size would itself block the thread.
  const [before, after] = [documentOf(1), documentOf(2)];
  const plan = await load(before);
  const [started, latencies] = [new Map<string, number>(), [] as number[]];
  const { open, close } = await openBenchRealm({
    plan,
    async run({ ref }) {
      started.set(ref, (started.get(ref) ?? 0) + 1);
      return { ...outcome("ok", "fine"), executionMs: 1 };
    },
    ended: (latencyMs) => void latencies.push(latencyMs),
  });
  open.start();
  // Waits a whole interval: then every object has its offset, and the first results are written.
  await sleep(systemClock, intervalMs + 5_000);
  latencies.length = 0;
  started.clear();
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const startedMs = systemClock.monotonic();
  const changed = await load(after);
  const loadedMs = systemClock.monotonic();
  const swapped = await open.swap(changed);
  const swappedMs = systemClock.monotonic();
  await sleep(systemClock, Math.max(0, intervalMs + 1_000 - (swappedMs - startedMs)));
  delay.disable();
  const missed = plan.objects.size - started.size;
  await Promise.all([close(1000), loader.close()]);
  const latest = latencies.reduce((max, ms) => Math.max(max, ms), 0);
  return [
    {
      name: "reload: load to plan",
      rate: loadedMs - startedMs,
      unit: "ms",
      note: `${plan.objects.size} objects, checked every ${intervalMs / 1_000} s meanwhile`,
    },
    { name: "reload: swap", rate: swappedMs - loadedMs, unit: "ms", note: `${swapped.changed.length} changed` },
    {
      name: "reload: latest check",
      rate: latest,
      unit: "ms",
      note: `of ${latencies.length} checks; ${missed} objects missed`,
    },
    { name: "reload: longest stall of the engine", rate: delay.max / 1e6, unit: "ms" },
  ];
}
