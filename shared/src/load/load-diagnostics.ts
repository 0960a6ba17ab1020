import type { Diagnostic } from "../model/diagnostic.ts";
import type { CueFile } from "../platform/cue/source/source-position.ts";
import { formatDuration } from "../text/duration.ts";
import type { DocumentWorkerAnswer, LoadLimits } from "./document-thread.ts";
import type { LocatedProblem } from "./worker-messages.ts";

/** Says why a load has no result. */
export function describeFailure(
  answer: DocumentWorkerAnswer,
  { timeoutMs, memoryBytes, areFlags }: LoadLimits,
): string {
  const raise = (flag: string): string => (areFlags === true ? `: raise ${flag}` : "");
  if (answer.kind === "timed_out")
    return `evaluation took longer than the ${formatDuration(timeoutMs)} it may take${raise("-config-timeout")}`;
  if (answer.kind === "out_of_memory")
    return `evaluation needs more than the ${Math.round(memoryBytes / 2 ** 20)} MiB of memory it may take${raise("-config-memory")}`;
  const cause = answer.kind === "crashed" ? answer.cause : `unexpected ${answer.kind}`;
  const hint = cause.startsWith("RangeError") ? ": the document may nest too deeply" : "";
  return `evaluation ended without a result (${cause})${hint}`;
}

/** Converts problems to diagnostics, sorted by position and without duplicates. */
export function toDiagnostics(problems: readonly LocatedProblem[], files: readonly CueFile[]): readonly Diagnostic[] {
  const sorted = problems.toSorted(
    ({ position: a }, { position: b }) => a.file - b.file || a.line - b.line || a.column - b.column,
  );
  const seen = new Set<string>();
  return sorted.flatMap(({ message, position: { file, line, column } }) => {
    const key = JSON.stringify([message, file, line, column]);
    if (seen.has(key)) return [];
    seen.add(key);
    return [{ message, file: files[file]?.name ?? "", line, column }];
  });
}
