import { readFileSync } from "node:fs";

/** True while a process exists and is not a zombie. Linux only. */
export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
