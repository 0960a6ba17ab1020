import { readdirSync, readFileSync } from "node:fs";

/** Every process that a run starts inherits this variable, however far down; by it the run finds them again. */
export const runVariable = "REALMWATCH_TEST_RUN";

/**
 * The processes of a run that are still there, this one and its parents left out. Linux only: empty elsewhere.
 * @returns {{ pid: number, command: string }[]}
 */
export function leftoversOf(run) {
  const wanted = `${runVariable}=${run}`;
  return readNames("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => readText(`/proc/${name}/environ`).split("\0").includes(wanted))
    .map((name) => ({ pid: Number(name), command: readText(`/proc/${name}/cmdline`).replaceAll("\0", " ").trim() }))
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
    // It ended while we looked, or belongs to somebody else.
    return "";
  }
}
