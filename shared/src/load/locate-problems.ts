import type { Problem } from "../config/problem.ts";
import type { CueCommand } from "../platform/cue/engine/command.ts";
import { locate, nearest, valueAt, type Wanted } from "../platform/cue/locate/locate.ts";
import type { Place } from "../platform/cue/source/source-position.ts";
import type { Sheet } from "../platform/cue/source/cue-sources.ts";
import type { PlacedProblem } from "./thread-messages.ts";

/** Places read off the source alone: right where what is wrong is written out, near it elsewhere. */
export const roughPlaces = (sheet: Sheet, problems: readonly Problem[]): readonly PlacedProblem[] =>
  problems.map(({ message, path }) => ({ message, place: nearest(sheet, path) }));

type Located = { readonly sheet: Sheet; readonly json: unknown; readonly problems: readonly Problem[] };

/** The exact place of every problem. A problem between fields stands at the one that is written last. */
export async function placeProblems(
  command: () => Promise<CueCommand>,
  { sheet, json, problems }: Located,
): Promise<readonly PlacedProblem[]> {
  const wanted: Wanted[] = [];
  const groups = problems.map((problem) => {
    const mine = candidates(problem, json);
    wanted.push(...mine);
    return { message: problem.message, from: wanted.length - mine.length, to: wanted.length };
  });
  const places = await locate(command, sheet, { document: json, wanted });
  return groups.map(({ message, from, to }) => ({ message, place: places.slice(from, to).reduce(later) }));
}

/** The paths a problem may stand at. Of fields that contradict each other only those written down count. */
function candidates({ path, rivals, at }: Problem, json: unknown): readonly Wanted[] {
  const written = [path, ...(rivals ?? [])].filter((each) => valueAt(json, each) !== undefined);
  return (written.length > 0 ? written : [path]).map((each) => ({ path: each, at }));
}

const later = (a: Place, b: Place): Place =>
  b.file - a.file || b.line - a.line || b.column - a.column ? (isBefore(a, b) ? b : a) : a;

const isBefore = (a: Place, b: Place): boolean => (a.file - b.file || a.line - b.line || a.column - b.column) < 0;
