import type { DocumentPath } from "../../../text/document-path.ts";
import type { CueCommand } from "../engine/command.ts";
import type { CueSources } from "../source/cue-sources.ts";
import type { SourcePosition } from "../source/source-position.ts";
import { bestPosition, nearestPosition } from "./locate.ts";
import { runProbes, structContradiction } from "./probe.ts";
import { type CueError, parseVetReport } from "./vet-report.ts";

/** One of CUE's own errors with its position. `path` is undefined unless the error concerns one value. */
export type CueProblem = {
  readonly message: string;
  readonly path: DocumentPath | undefined;
  readonly position: SourcePosition;
};

/**
 * Explains why CUE rejects a document: all of its errors, each at the position of its cause. Errors for which CUE
 * reports no position (incomplete values, structural cycles) are located by probes.
 *
 * @param evaluatorError message of the evaluator, used when the command reports no error
 */
export async function explainErrors(
  cue: CueCommand,
  sources: CueSources,
  evaluatorError: string,
): Promise<readonly CueProblem[]> {
  const { stdout, stderr } = await cue(["vet", "-E", "-c", ...sources.texts.keys()], sources.texts);
  const errors = parseVetReport(stdout + stderr);
  if (errors.length === 0) errors.push(...parseVetReport(evaluatorError.replace(/ \(and \d+ more errors\)$/, "")));
  const withoutPosition = errors.filter((error) => error.positions.length === 0 && error.path !== undefined);
  const found = await runProbes(
    cue,
    sources,
    withoutPosition.map(({ path }) => ({ path: path as DocumentPath, contradiction: structContradiction })),
  );
  return errors.map((error) => {
    const named = error.positions
      .map((position) => sources.positionOf(position))
      .filter((position) => position !== undefined);
    const positions = named.length > 0 ? named : (found[withoutPosition.indexOf(error)] ?? []);
    return { message: messageOf(error), path: error.path, position: positionFor(sources, error, positions) };
  });
}

function positionFor(
  sources: CueSources,
  { path, message }: CueError,
  positions: readonly SourcePosition[],
): SourcePosition {
  if (path !== undefined && message.endsWith(" not allowed")) {
    // CUE reports the position of the label here; all other errors are reported at values.
    const own = sources
      .spansAt(path)
      .map(({ position }) => position)
      .findLast(({ file, line }) => positions.some((p) => p.file === file && p.line === line));
    if (own !== undefined) return own;
  }
  return bestPosition(sources, path ?? [], positions) ?? nearestPosition(sources, path ?? []);
}

/** Message without generated file names, and with the place in a file of a module that the document imports. */
function messageOf({ message, positions }: CueError): string {
  const text = message.replace(/(?:\.\/)?document-\d+\.cue(?::\d+:\d+)?:? ?/g, "");
  const imported = positions.find(({ file }) => file.startsWith("../") || file.includes("/"));
  return imported === undefined ? text : `${text} (${imported.file}:${imported.line}:${imported.byteColumn})`;
}
