import type { DocumentPath } from "../../../text/document-path.ts";
import type { CueCommand } from "../engine/command.ts";
import type { CueSources } from "../source/cue-sources.ts";
import type { SourcePosition } from "../source/source-position.ts";
import { bestPosition, nearestPosition } from "./locate.ts";
import { runProbes, structContradiction } from "./probe.ts";
import { type CueError, parseVetReport } from "./vet-report.ts";

/** One of CUE's own complaints with its place; `path` where it is about one value. */
export type CueProblem = {
  readonly message: string;
  readonly path: DocumentPath | undefined;
  readonly position: SourcePosition;
};

/**
 * Says why CUE refuses a document: all of its complaints, each at the place that caused it. Complaints that CUE gives
 * no position (values that stay incomplete, structural cycles) are probed for.
 *
 * @param complaint what the evaluator said, for the case that the command has nothing to say
 */
export async function explainErrors(
  cue: CueCommand,
  sheet: CueSources,
  complaint: string,
): Promise<readonly CueProblem[]> {
  const { stdout, stderr } = await cue(["vet", "-E", "-c", ...sheet.texts.keys()], sheet.texts);
  const errors = parseVetReport(stdout + stderr);
  if (errors.length === 0) errors.push(...parseVetReport(complaint.replace(/ \(and \d+ more errors\)$/, "")));
  const lost = errors.filter((error) => error.positions.length === 0 && error.path !== undefined);
  const found = await runProbes(
    cue,
    sheet,
    lost.map(({ path }) => ({ path: path as DocumentPath, contradiction: structContradiction })),
  );
  return errors.map((error) => {
    const named = error.positions.map((place) => sheet.positionOf(place)).filter((place) => place !== undefined);
    const places = named.length > 0 ? named : (found[lost.indexOf(error)] ?? []);
    return { message: plain(error), path: error.path, place: positionFor(sheet, error, places) };
  });
}

function positionFor(
  sheet: CueSources,
  { path, message }: CueError,
  places: readonly SourcePosition[],
): SourcePosition {
  if (path !== undefined && message.endsWith(" not allowed")) {
    // CUE points at labels here; everybody else is shown values.
    const own = sheet
      .spansAt(path)
      .findLast(({ file, line }) => places.some((p) => p.file === file && p.line === line));
    if (own !== undefined) return { file: own.file, line: own.line, column: own.column };
  }
  return bestPosition(sheet, path ?? [], places) ?? nearestPosition(sheet, path ?? []);
}

/** Our own file names are nobody's business. */
const plain = ({ message }: CueError): string => message.replace(/(?:\.\/)?document-\d+\.cue(?::\d+:\d+)?:? ?/g, "");
