import { never } from "@realmwatch/shared/model/never";
import { outcome } from "@realmwatch/shared/model/outcome";
import { checkStatuses } from "@realmwatch/shared/model/status";
import { formatDuration } from "@realmwatch/shared/text/duration";
import { type PluginOutput, parsePluginOutput } from "@realmwatch/shared/text/plugin/plugin-output";
import { type ProgramOutcome, type ProgramOutput, startFailureTexts } from "../../platform/programs/program-runner.ts";
import type { CheckOutcome } from "../check-type.ts";

/** Usual meanings of other exit codes. */
const hints: Readonly<Record<number, string>> = {
  126: " (the plugin may not be executable)",
  127: " (the plugin may be missing)",
};

/**
 * Converts a program's end to an outcome. Exit codes 0 to 3 are the plugin's status; anything else is unknown, with an
 * output that describes the failure and keeps the printed text.
 */
export function judgeProgram(file: string, ended: ProgramOutcome, timeoutMs: number): CheckOutcome {
  switch (ended.kind) {
    case "exited": {
      const printed = parseOutput(ended);
      const status = checkStatuses[ended.code];
      if (status !== undefined) return { status, ...printed, executionMs: ended.elapsedMs };
      return failed(`exit code ${ended.code} is out of range 0-3${hints[ended.code] ?? ""}`, printed, ended.elapsedMs);
    }
    case "signalled":
      return failed(`${file} was killed by ${ended.signal}`, parseOutput(ended), ended.elapsedMs);
    case "timed_out":
      return {
        ...failed(`${file} timed out after ${formatDuration(timeoutMs)}`, parseOutput(ended), ended.elapsedMs),
        timedOut: true,
      };
    case "not_started":
      return {
        ...outcome("unknown", `cannot run ${file}: ${startFailureTexts[ended.why]} (${ended.code})`),
        executionMs: 0,
      };
    case "lost":
      return outcome("unknown", `${file} was lost: the process that ran it died`);
    case "aborted":
      return outcome("unknown", `${file} was interrupted`);
    default:
      return never(ended);
  }
}

/** Parses standard output; standard error is used when the former is empty. */
function parseOutput({ stdout, stderr, truncated }: ProgramOutput): PluginOutput {
  const isOnStderr = stdout.trim() === "" && stderr.trim() !== "";
  if (!isOnStderr) return parsePluginOutput(stdout, truncated);
  const [first = "", ...rest] = stderr.replaceAll("\0", "").trim().split("\n");
  return { output: `(No output on stdout) stderr: ${first.trim()}`, longOutput: rest.join("\n").trim(), perfdata: [] };
}

/** Outcome of an abnormal end: printed text becomes the long output, and its performance data is dropped. */
function failed(what: string, { output, longOutput }: PluginOutput, executionMs: number): CheckOutcome {
  const printed = output.startsWith("(No output returned") ? "" : [output, longOutput].join("\n").trim();
  return { ...outcome("unknown", what, [], printed), executionMs };
}
