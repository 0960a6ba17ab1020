import { existsSync } from "node:fs";
import { openTools, servicePlan, surroundings } from "@realmwatch/agent/checks/plan.fixture";
import { runCheck } from "@realmwatch/agent/checks/run-check";
import { cpuSecondsOfTree } from "./process-tree.ts";
import { type Checker, type CheckerSpeed, measureChecker } from "./rivals/checker.ts";
import { icinga2Checker } from "./rivals/icinga2-checker.ts";
import { nagios4Checker } from "./rivals/nagios4-checker.ts";
import type { Row } from "./row.ts";

const dummy = "/usr/lib/nagios/plugins/check_dummy";
/** As many as the agent runs at a time. */
const inFlight = 64;
const windowMs = 6_000;
const heldMb = 500;

type Found = { readonly name: string; readonly speed: CheckerSpeed | undefined; readonly note: string };

/** One plugin as often as can be, and the CPU that all processes together take for it: here and elsewhere. */
export async function benchPrograms(): Promise<Row[]> {
  if (!existsSync(dummy)) return [{ name: "skipped: no monitoring-plugins", rate: 0, unit: "" }];
  const plugin = [dummy, "0", "fine"];
  const found: Found[] = [];
  found.push({ name: "agent", ...(await measureAgent(plugin)) });
  for (const checker of [nagios4Checker, icinga2Checker]) found.push(await measureRival(checker, plugin));
  const held = holdMemory();
  found.push({ name: `agent with ${heldMb} MB of heap`, ...(await measureAgent(plugin)) });
  if (held.length === 0) throw new Error("nothing was held");
  return [
    ...rowsOf(found, "check_dummy", "checks/s", ({ checksPerSecond }) => checksPerSecond),
    ...rowsOf(found, "CPU for 1 000", "s", ({ cpuMs }) => cpuMs),
  ];
}

/** The rows of one quantity; ours are compared with the rival that does best in checks/s. */
function rowsOf(found: readonly Found[], what: string, unit: string, of: (speed: CheckerSpeed) => number): Row[] {
  const rivals = found.filter(({ name, speed }) => !name.startsWith("agent") && speed !== undefined);
  const best = rivals.sort((a, b) => (b.speed?.checksPerSecond ?? 0) - (a.speed?.checksPerSecond ?? 0))[0]?.name;
  return found.map(({ name, speed, note }) => ({
    name: `${what}, ${name}`,
    rate: speed === undefined ? 0 : of(speed),
    unit,
    note,
    ...(name.startsWith("agent") && best !== undefined ? { against: `${what}, ${best}` } : {}),
  }));
}

async function measureRival(checker: Checker, plugin: readonly string[]): Promise<Found> {
  const speed = await measureChecker(checker, plugin);
  return { name: checker.name, speed, note: speed === undefined ? "skipped: not installed" : "at saturation" };
}

async function measureAgent([path = "", ...args]: readonly string[]): Promise<Omit<Found, "name">> {
  const tools = openTools();
  const plan = servicePlan({ type: "legacy", path, args });
  const about = surroundings({ macro: (name) => (/^(?:HOST|SERVICE|LAST|LONG)/.test(name) ? `a ${name}` : undefined) });
  const runFor = async (ms: number): Promise<number> => {
    const endMs = performance.now() + ms;
    let checks = 0;
    const one = async (): Promise<void> => {
      while (performance.now() < endMs) {
        const { status, output } = await runCheck(plan, about, tools);
        if (status !== "ok") throw new Error(`${path}: ${output}`);
        checks += 1;
      }
    };
    await Promise.all(Array.from({ length: inFlight }, one));
    return checks;
  };
  try {
    await runFor(1_500); // Warm code, started helpers.
    const before = { own: process.cpuUsage(), all: cpuSecondsOfTree(process.pid), atMs: performance.now() };
    const checks = await runFor(windowMs);
    const { user, system } = process.cpuUsage(before.own);
    const ownMs = ((user + system) / 1_000 / checks).toFixed(3);
    return {
      speed: {
        checksPerSecond: checks / ((performance.now() - before.atMs) / 1_000),
        cpuMs: ((cpuSecondsOfTree(process.pid) - before.all) * 1_000) / checks,
      },
      note: `${inFlight} in flight, ${ownMs} ms each of the engine's process`,
    };
  } finally {
    await tools.close();
  }
}

/** Many small objects, as the state of 100 000 checks is. */
function holdMemory(): unknown[] {
  const held: unknown[] = [];
  for (const startMb = process.memoryUsage().heapUsed / 1e6; process.memoryUsage().heapUsed / 1e6 < startMb + heldMb; )
    for (let i = 0; i < 10_000; i += 1) held.push({ name: `object ${held.length}`, values: [i, i + 1] });
  return held;
}
