// Loaded into the process of each test file: notes its processor time, and that of the programs that it has waited for;
// ends it when it has not ended by itself.
import { appendFileSync, readFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const notes = process.env["REALMWATCH_PROCESSOR_TIMES"];
const limitMs = Number(process.env["REALMWATCH_FILE_LIMIT_MS"]);
const ticksPerSecond = 100;

/** User and system time, s: 14th to 17th field of the process's statistics. Its name, the 2nd, may contain spaces. */
function usedSeconds(): number {
  const fields = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / ticksPerSecond;
}

/** Ends the process with a failure that names what keeps it alive, such as a connection that a test has left open. */
function endHanging(): void {
  const alive = process.getActiveResourcesInfo().join(", ");
  process.stderr.write(`${process.argv[1]} has not ended after ${limitMs / 60_000} minutes; alive: ${alive}\n`);
  process.exit(1);
}

if (isMainThread && notes !== undefined) {
  process.once("exit", () => appendFileSync(notes, `${process.argv[1]} ${usedSeconds()}\n`));
  setTimeout(endHanging, limitMs).unref();
}
