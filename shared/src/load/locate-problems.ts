import type { DocumentProblem } from "../config/problem.ts";
import type { CueCommand } from "../platform/cue/engine/command.ts";
import { type LocateTarget, locateValues, nearestPosition, valueAtPath } from "../platform/cue/locate/locate.ts";
import type { CueSources } from "../platform/cue/source/cue-sources.ts";
import type { SourcePosition } from "../platform/cue/source/source-position.ts";
import type { LocatedProblem } from "./worker-messages.ts";

/** Places read off the source alone: right where what is wrong is written out, near it elsewhere. */
export const approximatePositions = (
  sheet: CueSources,
  problems: readonly DocumentProblem[],
): readonly LocatedProblem[] => problems.map(({ message, path }) => ({ message, place: nearestPosition(sheet, path) }));

type Located = { readonly sheet: CueSources; readonly json: unknown; readonly problems: readonly DocumentProblem[] };

/** The exact place of every problem. A problem between fields stands at the one that is written last. */
export async function locateProblems(
  command: () => Promise<CueCommand>,
  { sheet, json, problems }: Located,
): Promise<readonly LocatedProblem[]> {
  const wanted: LocateTarget[] = [];
  const groups = problems.map((problem) => {
    const mine = candidateTargets(problem, json);
    wanted.push(...mine);
    return { message: problem.message, from: wanted.length - mine.length, to: wanted.length };
  });
  const places = await locateValues(command, sheet, { document: json, wanted });
  return groups.map(({ message, from, to }) => ({ message, place: places.slice(from, to).reduce(later) }));
}

/** The paths a problem may stand at. Of fields that contradict each other only those written down count. */
function candidateTargets({ path, conflicts, at }: DocumentProblem, json: unknown): readonly LocateTarget[] {
  const written = [path, ...(conflicts ?? [])].filter((each) => valueAtPath(json, each) !== undefined);
  return (written.length > 0 ? written : [path]).map((each) => ({ path: each, at }));
}

const later = (a: SourcePosition, b: SourcePosition): SourcePosition =>
  b.file - a.file || b.line - a.line || b.column - a.column ? (isBefore(a, b) ? b : a) : a;

const isBefore = (a: SourcePosition, b: SourcePosition): boolean =>
  (a.file - b.file || a.line - b.line || a.column - b.column) < 0;
