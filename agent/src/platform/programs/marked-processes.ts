import { readdirSync, readFileSync } from "node:fs";

/** Environment variable that every program and its descendants inherit; its value identifies the run. */
export const markVariable = "REALMWATCH_RUN";

/** Number of processes examined between yields: about a millisecond. */
const slice = 64;
/** Bit of SIGKILL (9) in a signal set. */
const sigkillBit = 1n << 8n;
/**
 * Least number of passes, which are repeated while marked processes are found: a process that was forked during a pass is
 * not in its list, and one that is in execve(2) has no readable environment.
 */
const minPasses = 2;
const maxPasses = 5;

/**
 * Kills every process whose mark begins with one of `marks`: processes that left their process group with setsid(2), and
 * those whose helper died. Passes over /proc are costly, so callers collect marks. Does nothing without /proc. Yields
 * about once per millisecond.
 *
 * @returns number of killed processes
 */
export function* killMarked(marks: readonly string[]): Generator<void, number> {
  const wanted = marks.map((mark) => Buffer.from(`${markVariable}=${mark}`));
  const killed = new Set<number>();
  for (let pass = 0, found = true; pass < maxPasses && (found || pass < minPasses); pass += 1) {
    found = false;
    const pids = wanted.length === 0 ? [] : listProcesses();
    for (const [index, pid] of pids.entries()) {
      if (index % slice === slice - 1) yield;
      const environment = environmentOf(pid);
      if (!wanted.some((mark) => holds(environment, mark))) continue;
      found = true;
      if (!isDying(pid) && kill(pid)) killed.add(pid);
    }
  }
  return killed.size;
}

/** Runs `killMarked` without yielding. */
export function killMarkedNow(marks: readonly string[]): number {
  const sweep = killMarked(marks);
  for (;;) {
    const { done, value } = sweep.next();
    if (done) return value;
  }
}

/** Runs `killMarked` in turns of the event loop. */
export async function killMarkedInTurns(marks: readonly string[]): Promise<void> {
  for (const _ of killMarked(marks)) await new Promise((resolve) => setImmediate(resolve));
}

function listProcesses(): number[] {
  try {
    return readdirSync("/proc")
      .map(Number)
      .filter((pid) => Number.isInteger(pid) && pid !== process.pid);
  } catch {
    return [];
  }
}

/** Environment of a process; empty when it has exited, is a zombie or belongs to another user. */
function environmentOf(pid: number): Buffer {
  try {
    return readFileSync(`/proc/${pid}/environ`);
  } catch {
    return Buffer.alloc(0);
  }
}

/** True when a variable of the NUL-separated `environment` begins with `start`. */
function holds(environment: Buffer, start: Buffer): boolean {
  for (let at = environment.indexOf(start); at >= 0; at = environment.indexOf(start, at + 1)) {
    if (at === 0 || environment[at - 1] === 0) return true;
  }
  return false;
}

/** True when SIGKILL is pending or the process has exited: it was killed with its group already. */
function isDying(pid: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    return [...status.matchAll(/^S\w+Pnd:\s*([0-9a-f]+)$/gm)].some(
      ([, set]) => (BigInt(`0x${set}`) & sigkillBit) !== 0n,
    );
  } catch {
    return true;
  }
}

function kill(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    return false;
  }
}
