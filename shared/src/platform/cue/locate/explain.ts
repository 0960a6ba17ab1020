import type { CueCommand } from "../engine/command.ts";
import { bestPlace, nearest } from "./locate.ts";
import type { Place } from "../source/source-position.ts";
import { noStruct, runProbes } from "./probe.ts";
import { type CueError, parseReport } from "./vet-report.ts";
import type { Sheet } from "../source/cue-sources.ts";
import type { Path } from "../source/source-spans.ts";

/** One of CUE's own complaints with its place; `path` where it is about one value. */
export type CueProblem = { readonly message: string; readonly path: Path | undefined; readonly place: Place };

/**
 * Says why CUE refuses a document: all of its complaints, each at the place that caused it. Complaints that CUE gives
 * no position (values that stay incomplete, structural cycles) are probed for.
 *
 * @param complaint what the evaluator said, for the case that the command has nothing to say
 */
export async function explain(cue: CueCommand, sheet: Sheet, complaint: string): Promise<readonly CueProblem[]> {
  const { stdout, stderr } = await cue(["vet", "-E", "-c", ...sheet.texts.keys()], sheet.texts);
  const errors = parseReport(stdout + stderr);
  if (errors.length === 0) errors.push(...parseReport(complaint.replace(/ \(and \d+ more errors\)$/, "")));
  const lost = errors.filter((error) => error.places.length === 0 && error.path !== undefined);
  const found = await runProbes(
    cue,
    sheet,
    lost.map(({ path }) => ({ path: path as Path, contradiction: noStruct })),
  );
  return errors.map((error) => {
    const named = error.places.map((place) => sheet.placeOf(place)).filter((place) => place !== undefined);
    const places = named.length > 0 ? named : (found[lost.indexOf(error)] ?? []);
    return { message: plain(error), path: error.path, place: placeFor(sheet, error, places) };
  });
}

function placeFor(sheet: Sheet, { path, message }: CueError, places: readonly Place[]): Place {
  if (path !== undefined && message.endsWith(" not allowed")) {
    // CUE points at labels here; everybody else is shown values.
    const own = sheet
      .spotsAt(path)
      .findLast(({ file, line }) => places.some((p) => p.file === file && p.line === line));
    if (own !== undefined) return { file: own.file, line: own.line, column: own.column };
  }
  return bestPlace(sheet, path ?? [], places) ?? nearest(sheet, path ?? []);
}

/** Our own file names are nobody's business. */
const plain = ({ message }: CueError): string => message.replace(/(?:\.\/)?document-\d+\.cue(?::\d+:\d+)?:? ?/g, "");
