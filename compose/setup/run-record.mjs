import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { until } from "./ports.mjs";
import { signalGroup } from "./program-group.mjs";
import { SetupError } from "./steps.mjs";

/**
 * Record of the demo's process ids in `file`, so that the programs of a start that was killed can be ended later.
 * `claim` kills the programs that such a start left, and rejects with a SetupError when another start still runs.
 */
export function openRunRecord(file) {
  return {
    async claim() {
      const [starter, ...children] = readLines(file);
      if (starter !== undefined && isSame(starter))
        throw new SetupError(
          `The demo already runs here (process ${pidOf(starter)}). End it with Ctrl-C in its terminal first.`,
        );
      const left = children.filter(isSame);
      for (const line of left) signalGroup(pidOf(line), "SIGKILL");
      await until("the programs of the previous start have ended", () => !left.some(isSame));
      writeFileSync(file, `${lineOf(process.pid)}\n`, { mode: 0o600 });
    },
    add: (pid) => appendFileSync(file, `${lineOf(pid)}\n`),
    release: () => rmSync(file, { force: true }),
  };
}

const readLines = (file) => {
  try {
    return readFileSync(file, "utf8").split("\n").filter(Boolean);
  } catch {
    return [];
  }
};

const pidOf = (line) => Number(line.split(" ")[0]);
/** A pid with its start time: pids are reused, but not with the same start time. */
const lineOf = (pid) => `${pid} ${startTimeOf(pid)}`;
const isSame = (line) => line === lineOf(pidOf(line)) && startTimeOf(pidOf(line)) !== "";

function startTimeOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The 22nd field; the second is a name in brackets that may hold blanks.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}
