import { readdirSync, readFileSync } from "node:fs";

/**
 * Stops a process with SIGSTOP until it gets SIGCONT. Returns when all its threads stand still: until then, it may answer
 * a request that was sent after the signal. Linux only.
 *
 * @throws when there is no such process
 */
export function stopProcess(pid: number): void {
  process.kill(pid, "SIGSTOP");
  const pause = new Int32Array(new SharedArrayBuffer(4));
  while (!isStopped(pid)) Atomics.wait(pause, 0, 0, 1);
}

/** True when each thread is stopped, or has ended. The state is the field after the name, which may contain anything. */
function isStopped(pid: number): boolean {
  return readdirSync(`/proc/${pid}/task`).every((thread) => {
    try {
      return /\) [TtZX] /.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8"));
    } catch {
      return true;
    }
  });
}
