// Loaded into the process of each test file: notes its processor time, and that of the programs that it has waited for.
import { appendFileSync, readFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const notes = process.env["REALMWATCH_PROCESSOR_TIMES"];
const ticksPerSecond = 100;

/** User and system time, s: 14th to 17th field of the process's statistics. Its name, the 2nd, may contain spaces. */
function usedSeconds(): number {
  const fields = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / ticksPerSecond;
}

if (isMainThread && notes !== undefined)
  process.once("exit", () => appendFileSync(notes, `${process.argv[1]} ${usedSeconds()}\n`));
