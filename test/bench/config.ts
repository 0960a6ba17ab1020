import { monitorEventLoopDelay } from "node:perf_hooks";
import { openLoader } from "@realmwatch/shared/load/load-document";
import { staticSample } from "@realmwatch/shared/load/static-sample.fixture";
import { templateSample } from "@realmwatch/shared/load/template-sample.fixture";
import type { Clock } from "@realmwatch/shared/model/clock";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import type { BenchRow } from "./bench-row.ts";
import { icinga2Validator } from "./peers/icinga2-validator.ts";
import { nagios4Validator } from "./peers/nagios4-validator.ts";
import { type ConfigurationSize, type PeerValidator, timeValidator } from "./peers/peer-validator.ts";
import { sized } from "./runner/bench-size.ts";

/** Duration of a load, ms: including the start of its thread (cold), and again on the running thread (warm). */
type LoadMeasurement = { readonly coldMs: number; readonly warmMs: number; readonly objects: number };

/**
 * Loads a configuration twice and measures both loads. For benchmarks.
 *
 * @throws TypeError for an invalid configuration
 */
async function measureLoad(clock: Clock, text: string): Promise<LoadMeasurement> {
  const source = { kind: "text", text, name: "sample.cue" } as const;
  const options = { realm: "default", localZone: "UTC" };
  const loader = openLoader(clock);
  const timed = async (): Promise<{ readonly ms: number; readonly objects: number }> => {
    const startedMs = clock.monotonic();
    const loaded = await loader.plan({ source, options });
    if (!loaded.ok) throw new TypeError(`the sample is invalid: ${loaded.error[0]?.message}`);
    return { ms: clock.monotonic() - startedMs, objects: loaded.value.value.objects.size };
  };
  try {
    const cold = await timed();
    const warm = await timed();
    return { coldMs: cold.ms, warmMs: warm.ms, objects: cold.objects };
  } finally {
    await loader.close();
  }
}

/** Measures a document's load to a plan, and the longest stall of the caller's thread meanwhile. */
async function loadRows(name: string, note: string, text: string): Promise<BenchRow[]> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const { coldMs, warmMs, objects } = await measureLoad(systemClock, text);
  delay.disable();
  return [
    { name: `load ${name}`, rate: coldMs, unit: "ms", note: `${objects} objects ${note}, thread started for it` },
    { name: `load ${name} again`, rate: warmMs, unit: "ms", note: "on the running thread" },
    { name: `loading ${name}: longest stall of the caller`, rate: delay.max / 1e6, unit: "ms" },
  ];
}

const nameOf = ({ hosts, servicesPerHost }: ConfigurationSize): string => `${hosts} × ${servicesPerHost} services`;
const small: ConfigurationSize = { hosts: 1_000, servicesPerHost: 10 };
const large: ConfigurationSize = { hosts: sized(10_000, 2_000), servicesPerHost: 10 };

/** Measures documents of templates, which CUE evaluates. */
export async function benchTemplates(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const size of [{ hosts: 100, servicesPerHost: 10 }, small])
    rows.push(...(await loadRows(nameOf(size), "from templates", templateSample(size))));
  return rows;
}

/** Measures the largest document that one agent supports, evaluated by CUE. Loaded once, since it takes half a minute. */
export async function benchLargeTemplates(): Promise<BenchRow[]> {
  const loader = openLoader(systemClock);
  const delay = monitorEventLoopDelay({ resolution: 5 });
  const text = templateSample(large);
  delay.enable();
  const startedMs = systemClock.monotonic();
  const source = { kind: "text", text, name: "sample.cue" } as const;
  const loaded = await loader.plan({ source, options: { realm: "default", localZone: "UTC" } });
  const ms = systemClock.monotonic() - startedMs;
  delay.disable();
  const rssMiB = process.memoryUsage.rss() / 2 ** 20;
  await loader.close();
  if (!loaded.ok) throw new Error(loaded.error[0]?.message);
  const name = nameOf(large);
  return [
    { name: `load ${name}`, rate: ms, unit: "ms", note: `${loaded.value.value.objects.size} objects from templates` },
    { name: `loading ${name}: memory of the process`, rate: rssMiB, unit: "MiB" },
    { name: `loading ${name}: longest stall of the caller`, rate: delay.max / 1e6, unit: "ms" },
  ];
}

/** Measures documents of plain data, read without CUE, and the validation of equivalent configurations by peers. */
export async function benchPlain(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const size of [small, large]) {
    const name = `plain ${nameOf(size)}`;
    const peers = [icinga2Validator, nagios4Validator];
    const nameOfPeer = (peer: PeerValidator): string => `${peer.name}, ${nameOf(size)}`;
    for (const row of await loadRows(name, "as plain data", staticSample(size)))
      rows.push(row.name === `load ${name}` ? { ...row, against: peers.map(nameOfPeer) } : row);
    for (const peer of peers) {
      const ms = await timeValidator(peer, size);
      if (ms !== undefined) rows.push({ name: nameOfPeer(peer), rate: ms, unit: "ms" });
    }
  }
  return rows;
}
