import { constants } from "node:os";
import { getSystemErrorName } from "node:util";
import { maxCapturedBytes } from "./captured-output.ts";
import type { ProgramEnding } from "./helper-frames.ts";
import type { ProgramOutcome, ProgramOutput, StartFailure } from "./program-runner.ts";

const reasons: Readonly<Record<string, StartFailure>> = {
  ENOENT: "missing",
  ENOTDIR: "missing",
  EACCES: "not_executable",
  EPERM: "not_executable",
  ENOEXEC: "not_executable",
  E2BIG: "too_long",
  EAGAIN: "no_resources",
  ENOMEM: "no_resources",
  EMFILE: "no_resources",
  ENFILE: "no_resources",
};

const signalNames = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/** @param errno error number of the system, above 0 */
export function startFailed(errno: number): Extract<ProgramOutcome, { kind: "not_started" }> {
  const code = getSystemErrorName(-errno);
  return { kind: "not_started", why: reasons[code] ?? "refused", code };
}

/** Converts the ending that a helper reports. */
export function programOutcome(ending: ProgramEnding): ProgramOutcome {
  const { kind, code, elapsedMs } = ending;
  switch (kind) {
    case "exited":
      return { kind, code, elapsedMs, ...printed(ending) };
    case "signalled":
      return { kind, signal: signalNames.get(code) ?? `signal ${code}`, elapsedMs, ...printed(ending) };
    case "timed_out":
      return { kind, elapsedMs, ...printed(ending) };
    case "not_started":
      return startFailed(code);
    default:
      return { kind: "aborted" };
  }
}

const printed = ({ stdout, stderr, truncated }: ProgramEnding): ProgramOutput => ({
  stdout: textOf(stdout),
  stderr: textOf(stderr),
  truncated,
});

/** Decodes UTF-8. A character cut by the limit is removed; invalid bytes are replaced. */
function textOf(bytes: Buffer): string {
  if (bytes.length < maxCapturedBytes) return bytes.length === 0 ? "" : bytes.toString();
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true });
}
