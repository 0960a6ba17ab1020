import { never } from "@realmwatch/shared/model/never";
import { outcome } from "@realmwatch/shared/model/outcome";
import type { CheckStatus } from "@realmwatch/shared/model/status";
import { showDuration } from "@realmwatch/shared/text/duration";
import { type PluginOutput, parsePluginOutput } from "@realmwatch/shared/text/plugin-output";
import { type ProgramOutcome, type ProgramOutput, startFailureTexts } from "../../platform/programs/program-runner.ts";
import type { CheckOutcome } from "../check-type.ts";

const statusOfExit: readonly CheckStatus[] = ["ok", "warning", "critical", "unknown"];

/** What other exit codes usually mean. */
const hints: Readonly<Record<number, string>> = {
  126: " (the plugin may not be executable)",
  127: " (the plugin may be missing)",
};

/**
 * The outcome of a check whose program `file` ended so. Exit 0 to 3 is the plugin's verdict; anything else is unknown,
 * with an output that says what happened, and keeps what was printed.
 */
export function judgeProgram(file: string, ended: ProgramOutcome, timeoutMs: number): CheckOutcome {
  switch (ended.kind) {
    case "exited": {
      const printed = read(ended);
      const status = statusOfExit[ended.code];
      if (status !== undefined) return { status, ...printed, executionMs: ended.elapsedMs };
      return failed(`exit code ${ended.code} is none of 0 to 3${hints[ended.code] ?? ""}`, printed, ended.elapsedMs);
    }
    case "signalled":
      return failed(`${file} was killed by ${ended.signal}`, read(ended), ended.elapsedMs);
    case "timed_out":
      return failed(`${file} timed out after ${showDuration(timeoutMs)}`, read(ended), ended.elapsedMs);
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

/** Where nothing came on standard output, standard error is all there is to show. */
function read({ stdout, stderr, truncated }: ProgramOutput): PluginOutput {
  const nothing = stdout.trim() === "" && stderr.trim() !== "";
  if (!nothing) return parsePluginOutput(stdout, truncated);
  const [first = "", ...rest] = stderr.replaceAll("\0", "").trim().split("\n");
  return { output: `(No output on stdout) stderr: ${first.trim()}`, longOutput: rest.join("\n").trim(), perfdata: [] };
}

/** What was printed before goes below; its numbers are not those of a finished check. */
function failed(what: string, { output, longOutput }: PluginOutput, executionMs: number): CheckOutcome {
  const printed = output.startsWith("(No output returned") ? "" : [output, longOutput].join("\n").trim();
  return { ...outcome("unknown", what, [], printed), executionMs };
}
