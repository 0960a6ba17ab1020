import { readdirSync, readFileSync } from "node:fs";

/** Environment variable that every program and all that it starts inherits; its value names the run. */
export const markVariable = "REALMWATCH_RUN";

/** How many processes are looked at in one go: about a millisecond. */
const slice = 64;
/** SIGKILL, number 9, in a set of signals. */
const sigkillBit = 1n << 8n;
/**
 * A process that starts others while the list is read can slip through, and one that is within `execve` has no readable
 * environment. So the list is read at least so often, and again while there is anybody with a mark.
 */
const fewestPasses = 2;
const maxPasses = 5;

/**
 * Kills every process whose mark begins with one of `marks`: those that left their process group with `setsid`, and
 * those whose helper died. A pass over /proc, so callers collect marks. Does nothing where there is no /proc. Comes
 * back after every few processes, so that who has other work can do it between.
 *
 * @returns how many were killed
 */
export function* killMarked(marks: readonly string[]): Generator<void, number> {
  const wanted = marks.map((mark) => Buffer.from(`${markVariable}=${mark}`));
  const killed = new Set<number>();
  for (let pass = 0, anybody = true; pass < maxPasses && (anybody || pass < fewestPasses); pass += 1) {
    anybody = false;
    const pids = wanted.length === 0 ? [] : listProcesses();
    for (const [index, pid] of pids.entries()) {
      if (index % slice === slice - 1) yield;
      const environment = environmentOf(pid);
      if (!wanted.some((mark) => holds(environment, mark))) continue;
      anybody = true;
      if (!isDying(pid) && kill(pid)) killed.add(pid);
    }
  }
  return killed.size;
}

/** All of `killMarked` at once. */
export function killMarkedNow(marks: readonly string[]): number {
  const sweep = killMarked(marks);
  for (;;) {
    const { done, value } = sweep.next();
    if (done) return value;
  }
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

/** Empty where it cannot be read: gone meanwhile, a zombie, or another user's. */
function environmentOf(pid: number): Buffer {
  try {
    return readFileSync(`/proc/${pid}/environ`);
  } catch {
    return Buffer.alloc(0);
  }
}

/** Whether a variable of `environment` (NUL-separated) begins with `start`. */
function holds(environment: Buffer, start: Buffer): boolean {
  for (let at = environment.indexOf(start); at >= 0; at = environment.indexOf(start, at + 1)) {
    if (at === 0 || environment[at - 1] === 0) return true;
  }
  return false;
}

/** Whether it was killed already, with its group, and has only not come to end yet. */
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
