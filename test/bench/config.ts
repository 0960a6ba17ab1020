import { monitorEventLoopDelay } from "node:perf_hooks";
import { diffPlans } from "@realmwatch/shared/config/diff/diff-plans";
import type { RealmPlan } from "@realmwatch/shared/config/plan";
import { type Loader, openLoader } from "@realmwatch/shared/load/load-document";
import { staticSample } from "@realmwatch/shared/load/static-sample.fixture";
import { templateSample } from "@realmwatch/shared/load/template-sample.fixture";
import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import type { BenchRow } from "./bench-row.ts";
import { icinga2TemplateValidator, icinga2Validator } from "./peers/icinga2-validator.ts";
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

/**
 * Measures the largest document that one agent supports, from templates, and the validation of an equivalent
 * configuration by a peer.
 */
export async function benchLargeTemplates(): Promise<BenchRow[]> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  const source = { kind: "text", text: templateSample(large), name: "sample.cue" } as const;
  delay.enable();
  const loader = openLoader(systemClock);
  const { ms, plan } = await timeLoad(loader, source.text);
  await loader.close();
  delay.disable();
  const name = nameOf(large);
  const rows: BenchRow[] = [
    { name: `load ${name}`, rate: ms, unit: "ms", note: `${plan.objects.size} objects from templates` },
    { name: `loading ${name}: memory of the process`, rate: process.memoryUsage.rss() / 2 ** 20, unit: "MiB" },
    { name: `loading ${name}: longest stall of the caller`, rate: delay.max / 1e6, unit: "ms" },
  ];
  const peerMs = await timeValidator(icinga2TemplateValidator, large);
  const peer = { name: icinga2TemplateValidator.name, unit: "ms", rate: peerMs ?? 0 };
  return [...rows, peerMs === undefined ? { ...peer, note: "not installed" } : { ...peer, against: `load ${name}` }];
}

/** Loads a document as an agent does at its start and, on the same loader, at a reload; then `before` is compared too. */
async function timeLoad(
  loader: Loader,
  text: string,
  before?: RealmPlan,
): Promise<{ readonly ms: number; readonly plan: RealmPlan }> {
  const source = { kind: "text", text, name: "sample.cue" } as const;
  const options = { realm: "default", localZone: "UTC" };
  const startedMs = systemClock.monotonic();
  const loaded = await loader.plan({ source, options });
  if (!loaded.ok) throw new TypeError(`the sample is invalid: ${loaded.error[0]?.message}`);
  const plan = loaded.value.value;
  if (before !== undefined) diffPlans(before, plan);
  return { ms: systemClock.monotonic() - startedMs, plan };
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** Time after which the loader's thread has given back what it does not need, ms. Reloads of an agent are as rare. */
const idleMs = 7_000;

/** Measures a reload after the change of one host of 5 000, with the differences between the plans. */
export async function benchReloadOfOneHost(): Promise<BenchRow[]> {
  const many = { hosts: 5_000, servicesPerHost: 10 };
  const few = { hosts: 1_000, servicesPerHost: 10 };
  // A template that uses the length of the address is evaluated for each host.
  const single = templateSample(few).replace("let target", "_length: len(address)\n  let target");
  const samples = [
    [`plain ${nameOf(many)}`, staticSample(many)],
    [`${nameOf(many)} from templates`, templateSample(many)],
    [`${nameOf(few)}, each host evaluated`, single],
  ] as const;
  const rows: BenchRow[] = [];
  for (const [what, text] of samples) {
    const [whole, again]: [number[], number[]] = [[], []];
    for (let run = 0; run < 3; run += 1) {
      const loader = openLoader(systemClock);
      const { ms, plan } = await timeLoad(loader, text);
      whole.push(ms);
      await sleep(systemClock, idleMs);
      again.push((await timeLoad(loader, text.replace("10.0.0.57", `10.9.9.${run}`), plan)).ms);
      await loader.close();
    }
    const name = `first load, ${what}`;
    rows.push({ name, rate: median(whole), unit: "ms", note: "median of 3, each on a new thread" });
    rows.push({ name: `after a change of one host, ${what}`, rate: median(again), unit: "ms", against: name });
  }
  return rows;
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
