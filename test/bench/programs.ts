import { existsSync } from "node:fs";
import { checkEnvironment, openTestDependencies, servicePlan } from "@realmwatch/agent/checks/plan.fixture";
import { runCheck } from "@realmwatch/agent/checks/run-check";
import { openProgramPool } from "@realmwatch/agent/platform/programs/program-pool";
import type { BenchRow } from "./bench-row.ts";
import { icinga2Checker } from "./peers/icinga2-checker.ts";
import { nagios4Checker } from "./peers/nagios4-checker.ts";
import { type MeasuredWindow, openPeer } from "./peers/peer-checker.ts";
import { cpuSecondsOfTree } from "./process-tree.ts";
import { sized } from "./runner/bench-size.ts";

const dummy = "/usr/lib/nagios/plugins/check_dummy";
/** Number of programs that the agent runs at a time. */
const inFlight = 64;
/** Duration of each measurement, ms. Systems are measured one after the other: one suspended in between would catch up. */
const windowMs = sized(6_000, 2_500);
const heapMb = 500;

type Measured = { readonly name: string; readonly windows: MeasuredWindow[]; readonly note: string };

/** Measures the rate of one plugin at saturation and the CPU of all processes, for the agent and for peers. */
export async function benchPrograms(): Promise<BenchRow[]> {
  if (!existsSync(dummy)) return [];
  const plugin = [dummy, "0", "fine"];
  const tools = openTestDependencies();
  // The fallback of docs/decisions/0011-starting-programs.md.
  const fallback = { ...tools, programs: openProgramPool({ clock: tools.clock, native: false }) };
  const found: Measured[] = [];
  const add = (name: string, ...windows: MeasuredWindow[]): void =>
    void found.push({ name, windows, note: noteOf(name) });
  try {
    const [native, node]: [MeasuredWindow[], MeasuredWindow[]] = [[], []];
    // Alternating, so that other load affects both. The first pair warms up code and starts helpers.
    for (let pair = 0; pair < 3; pair += 1) {
      native[pair] = await measureAgent(tools, plugin);
      node[pair] = await measureAgent(fallback, plugin);
    }
    add("agent", ...native.slice(1));
    add("agent with child_process", ...node.slice(1));
    for (const checker of [nagios4Checker, icinga2Checker]) {
      const peer = await openPeer(checker, plugin);
      if (peer !== undefined) add(peer.name, await peer.measure(windowMs).finally(() => peer.close()));
    }
    const objects = fillHeap();
    add(`agent with ${heapMb} MB of heap`, await measureAgent(tools, plugin));
    if (objects.length === 0) throw new Error("the heap is not filled");
    return benchRowsOf(found);
  } finally {
    await Promise.all([tools.close(), fallback.programs.close()]);
  }
}

const noteOf = (name: string): string => (name.startsWith("agent") ? `${inFlight} in flight` : "at saturation");

/** Rows of all systems; those of the agent are compared with the peers. */
function benchRowsOf(found: readonly Measured[]): BenchRow[] {
  const peers = found.filter(({ name }) => !name.startsWith("agent")).map(({ name }) => `check_dummy, ${name}`);
  return found.map(({ name, windows, note }) => ({
    ...{ name: `check_dummy, ${name}`, unit: "checks/s", note },
    rate: sum(windows, "checks") / sum(windows, "seconds"),
    cpuMs: (1_000 * sum(windows, "cpuSeconds")) / sum(windows, "checks"),
    against: name.startsWith("agent") ? peers : [],
  }));
}

const sum = (windows: readonly MeasuredWindow[], field: keyof MeasuredWindow): number =>
  windows.reduce((total, window) => total + window[field], 0);

async function measureAgent(
  tools: ReturnType<typeof openTestDependencies>,
  [path = "", ...args]: readonly string[],
): Promise<MeasuredWindow> {
  const plan = servicePlan({ type: "legacy", path, args });
  const about = checkEnvironment({
    macro: (name) => (/^(?:HOST|SERVICE|LAST|LONG)/.test(name) ? `a ${name}` : undefined),
  });
  const [startedMs, cpuSeconds] = [performance.now(), cpuSecondsOfTree(process.pid)];
  let checks = 0;
  const one = async (): Promise<void> => {
    while (performance.now() < startedMs + windowMs) {
      const { status, output } = await runCheck(plan, about, tools);
      if (status !== "ok") throw new Error(`${path}: ${output}`);
      checks += 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, one));
  return {
    checks,
    cpuSeconds: cpuSecondsOfTree(process.pid) - cpuSeconds,
    seconds: (performance.now() - startedMs) / 1_000,
  };
}

/** Allocates many small objects, like the state of 100 000 checks. */
function fillHeap(): readonly unknown[] {
  const held: unknown[] = [];
  const used = (): number => process.memoryUsage().heapUsed / 1e6;
  for (const startMb = used(); used() < startMb + heapMb; )
    for (let i = 0; i < 10_000; i += 1) held.push({ name: `object ${held.length}`, values: [i, i + 1] });
  return held;
}
