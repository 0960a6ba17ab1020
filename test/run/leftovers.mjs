import { readdirSync, readFileSync } from "node:fs";

/** Environment variable that all processes of a test run inherit, so that the run can find those left running. */
export const runVariable = "REALMWATCH_TEST_RUN";

/**
 * Processes of a test run that still exist, except this one. Linux only; empty on other systems.
 * @returns {{ pid: number, parent: number, command: string }[]} the parent of a process that outlives its own is 1
 */
export function leftoversOf(run) {
  const wanted = `${runVariable}=${run}`;
  return readNames("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => readText(`/proc/${name}/environ`).split("\0").includes(wanted))
    .map((name) => ({
      pid: Number(name),
      parent: Number(/^PPid:\s*(\d+)$/m.exec(readText(`/proc/${name}/status`))?.[1]),
      command: readText(`/proc/${name}/cmdline`).replaceAll("\0", " ").trim(),
    }))
    .filter(({ command }) => command !== "");
}

function readNames(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readText(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // The process has ended, or belongs to another user.
    return "";
  }
}

/** Kills a process; nothing happens when it has ended in the meantime. */
export function killIfThere(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}
