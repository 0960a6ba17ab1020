import { existsSync } from "node:fs";
import { checkEnvironment, openTestDependencies, servicePlan } from "@realmwatch/agent/checks/plan.fixture";
import { runCheck } from "@realmwatch/agent/checks/run-check";
import { openProgramPool } from "@realmwatch/agent/platform/programs/program-pool";
import { cpuSecondsOfTree } from "./process-tree.ts";
import { openPeer, type MeasuredWindow } from "./peers/peer-checker.ts";
import { icinga2Checker } from "./peers/icinga2-checker.ts";
import { nagios4Checker } from "./peers/nagios4-checker.ts";
import type { BenchRow } from "./bench-row.ts";

const dummy = "/usr/lib/nagios/plugins/check_dummy";
/** As many as the agent runs at a time. */
const inFlight = 64;
/** How long each is looked at, one after the other: a rival that is made to stand still meanwhile catches up wrongly. */
const windowMs = 6_000;
const heldMb = 500;

type Found = { readonly name: string; readonly windows: MeasuredWindow[]; readonly note: string };

/** One plugin as often as can be, and the CPU that all processes together take for it: here and elsewhere. */
export async function benchPrograms(): Promise<BenchRow[]> {
  if (!existsSync(dummy)) return [{ name: "skipped: no monitoring-plugins", rate: 0, unit: "" }];
  const plugin = [dummy, "0", "fine"];
  const tools = openTestDependencies();
  // The fallback of docs/decisions/0011-starting-programs.md.
  const fallback = { ...tools, programs: openProgramPool({ clock: tools.clock, native: false }) };
  const found: Found[] = [];
  const add = (name: string, ...windows: MeasuredWindow[]): void => void found.push({ name, windows, note: noteOf(name) });
  try {
    const [native, node]: [MeasuredWindow[], MeasuredWindow[]] = [[], []];
    // Alternating, so that other load affects both. The first pair warms up code and starts helpers.
    for (let pair = 0; pair < 3; pair += 1) {
      native[pair] = await lookAtAgent(tools, plugin);
      node[pair] = await lookAtAgent(fallback, plugin);
    }
    add("agent", ...native.slice(1));
    add("agent with child_process", ...node.slice(1));
    for (const checker of [nagios4Checker, icinga2Checker]) {
      const rival = await openPeer(checker, plugin);
      if (rival === undefined) console.log(`  ${checker.name} is not installed: skipped`);
      else add(rival.name, await rival.measure(windowMs).finally(() => rival.close()));
    }
    const held = hold();
    add(`agent with ${heldMb} MB of heap`, await lookAtAgent(tools, plugin));
    if (held.length === 0) throw new Error("nothing was held");
    return rowsOf(found);
  } finally {
    await Promise.all([tools.close(), fallback.programs.close()]);
  }
}

const noteOf = (name: string): string => (name.startsWith("agent") ? `${inFlight} in flight` : "at saturation");

/** Ours are compared with the rival that does best. */
function rowsOf(found: readonly Found[]): BenchRow[] {
  const rate = (windows: readonly MeasuredWindow[]): number => sum(windows, "checks") / sum(windows, "seconds");
  const cpu = (windows: readonly MeasuredWindow[]): number => (1_000 * sum(windows, "cpuSeconds")) / sum(windows, "checks");
  const rivals = found.filter(({ name }) => !name.startsWith("agent"));
  const best = rivals.sort((a, b) => rate(b.windows) - rate(a.windows))[0]?.name;
  const row = (what: string, unit: string, of: typeof rate): BenchRow[] =>
    found.map(({ name, windows, note }) => ({
      ...{ name: `${what}, ${name}`, rate: of(windows), unit, note },
      ...(name.startsWith("agent") && best !== undefined ? { against: `${what}, ${best}` } : {}),
    }));
  return [...row("check_dummy", "checks/s", rate), ...row("CPU for 1 000", "s", cpu)];
}

const sum = (windows: readonly MeasuredWindow[], field: keyof MeasuredWindow): number =>
  windows.reduce((total, window) => total + window[field], 0);

async function lookAtAgent(
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

/** Many small objects, as the state of 100 000 checks is. */
function hold(): readonly unknown[] {
  const held: unknown[] = [];
  const used = (): number => process.memoryUsage().heapUsed / 1e6;
  for (const startMb = used(); used() < startMb + heldMb; )
    for (let i = 0; i < 10_000; i += 1) held.push({ name: `object ${held.length}`, values: [i, i + 1] });
  return held;
}
