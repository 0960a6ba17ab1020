import { readdirSync, readFileSync } from "node:fs";

/** Clock ticks in a second: 100 on Linux. */
const ticksPerSecond = 100;

/** CPU time of a process and all its descendants, s, including those that have ended and were waited for. */
export function cpuSecondsOfTree(pid: number): number {
  let ticks = 0;
  for (const one of [pid, ...descendantsOf(pid)]) {
    const [user = 0, system = 0, userOfEnded = 0, systemOfEnded = 0] = statOf(one).slice(11, 15).map(Number);
    ticks += user + system + userOfEnded + systemOfEnded;
  }
  return ticks / ticksPerSecond;
}

/** Process ids of all descendants of a process. */
export function descendantsOf(pid: number): number[] {
  const childrenOf = new Map<number, number[]>();
  for (const name of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const parent = Number(statOf(Number(name))[1]);
    childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), Number(name)]);
  }
  const found: number[] = [];
  const queue = [pid];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const children = childrenOf.get(next) ?? [];
    found.push(...children);
    queue.push(...children);
  }
  return found;
}

/** Fields of `/proc/PID/stat` after the name, the first is the state; empty when the process has ended. */
function statOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.split(" ") ?? [];
  } catch {
    return [];
  }
}
