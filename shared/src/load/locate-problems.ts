import type { DocumentProblem } from "../config/problem.ts";
import type { CueCommand } from "../platform/cue/engine/command.ts";
import { type LocateTarget, locateValues, nearestPosition, valueAtPath } from "../platform/cue/locate/locate.ts";
import type { CueSources } from "../platform/cue/source/cue-sources.ts";
import type { SourcePosition } from "../platform/cue/source/source-position.ts";
import type { LocatedProblem } from "./worker-messages.ts";

/** Positions found in the source alone: exact for values that are written out, otherwise of an enclosing value. */
export const approximatePositions = (
  sources: CueSources,
  problems: readonly DocumentProblem[],
): readonly LocatedProblem[] =>
  problems.map(({ message, path }) => ({ message, position: nearestPosition(sources, path) }));

type Located = { readonly sources: CueSources; readonly json: unknown; readonly problems: readonly DocumentProblem[] };

/** Finds the exact position of each problem. A problem between fields is located at the field that is written last. */
export async function locateProblems(
  command: () => Promise<CueCommand>,
  { sources, json, problems }: Located,
): Promise<readonly LocatedProblem[]> {
  const targets: LocateTarget[] = [];
  const groups = problems.map((problem) => {
    const mine = candidateTargets(problem, json);
    targets.push(...mine);
    return { message: problem.message, from: targets.length - mine.length, to: targets.length };
  });
  const positions = await locateValues(command, sources, { document: json, targets });
  return groups.map(({ message, from, to }) => ({ message, position: positions.slice(from, to).reduce(later) }));
}

/** Paths at which a problem may be located: of conflicting fields only those that are set. */
function candidateTargets({ path, conflicts, at }: DocumentProblem, json: unknown): readonly LocateTarget[] {
  const present = [path, ...(conflicts ?? [])].filter((each) => valueAtPath(json, each) !== undefined);
  return (present.length > 0 ? present : [path]).map((each) => ({ path: each, at }));
}

const later = (a: SourcePosition, b: SourcePosition): SourcePosition => (isBefore(a, b) ? b : a);

const isBefore = (a: SourcePosition, b: SourcePosition): boolean =>
  (a.file - b.file || a.line - b.line || a.column - b.column) < 0;

/** Maximum number of problems of a configuration that are located and reported; more would take seconds to send. */
const maxProblems = 1_000;

/** [PT14] Replaces the problems beyond the maximum by one that says how many there are. */
export function capProblems<T extends { readonly message: string }>(problems: readonly T[]): readonly T[] {
  const next = problems[maxProblems];
  if (next === undefined) return problems;
  const message = `${problems.length - maxProblems} further problems are not listed`;
  return [...problems.slice(0, maxProblems), { ...next, message }];
}
