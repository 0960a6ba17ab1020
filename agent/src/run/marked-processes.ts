import { readdir, readFile } from "node:fs/promises";

/** Environment variable that every program and all that it starts inherits; its value names the run. */
export const markVariable = "REALMWATCH_RUN";

/**
 * Kills every process whose mark begins with one of `marks`: those that left their process group with `setsid`, and
 * those whose helper died. One pass over /proc, so callers collect marks. Does nothing where there is no /proc.
 *
 * @returns how many were killed
 */
export async function killMarked(marks: readonly string[]): Promise<number> {
  const wanted = marks.map((mark) => Buffer.from(`${markVariable}=${mark}`));
  const names = await readdir("/proc").catch(() => []);
  let killed = 0;
  for (const name of names) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    // Unreadable: gone meanwhile, or another user's.
    const environment = await readFile(`/proc/${name}/environ`).catch(() => undefined);
    if (environment && wanted.some((mark) => holds(environment, mark)) && kill(pid)) killed++;
  }
  return killed;
}

/** Whether a variable of `environment` (NUL-separated) begins with `start`. */
function holds(environment: Buffer, start: Buffer): boolean {
  for (let at = environment.indexOf(start); at >= 0; at = environment.indexOf(start, at + 1)) {
    if (at === 0 || environment[at - 1] === 0) return true;
  }
  return false;
}

function kill(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    return false;
  }
}
