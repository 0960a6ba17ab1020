import { findUnchangedRuns, type UnchangedRun } from "./unchanged-runs.ts";
import type { WrittenEntries } from "./written-entries.ts";

/** Text without most entries of the text before. */
export type CutText = {
  readonly text: string;
  /**
   * Puts the entries back that were left out.
   *
   * @param found entries that were found in the cut text
   * @returns undefined when the text does not mean what it meant before where entries were left out
   */
  restore(found: WrittenEntries): RestoredEntries | undefined;
};

export type RestoredEntries = {
  /** Entries of the whole text. */
  readonly entries: WrittenEntries;
  /** Labels of the entries that have not changed, those in the cut text included. */
  readonly unchanged: ReadonlySet<string>;
  /** Labels of the entries that were left out after an entry of the cut text, by its label. */
  readonly leftOutAfter: ReadonlyMap<string, readonly string[]>;
};

/**
 * Leaves out entries that are in the text as they were in the old one. The first entry of each run stays: when it is
 * found again as an entry, what follows it is read as before, because it is the same text up to the end of the run.
 *
 * @returns undefined when all entries may have changed
 */
export function cutUnchanged(old: WrittenEntries, text: string): CutText | undefined {
  const runs = findUnchangedRuns(old, text);
  if (runs.length === 0) return undefined;
  const pieces: string[] = [];
  let at = 0;
  for (const run of runs) {
    const { keptTo, leftOut } = extentOf(old, run);
    pieces.push(text.slice(at, keptTo));
    at = keptTo + leftOut;
  }
  const cut = pieces.join("") + text.slice(at);
  return { text: cut, restore: (found) => restoreEntries({ old, runs, text }, found) };
}

/** End of the first entry of a run in the new text, and the length of those after it. */
function extentOf({ starts, ends }: WrittenEntries, { from, to, at }: UnchangedRun) {
  const first = ends[from] as number;
  return { keptTo: at + first - (starts[from] as number), leftOut: (ends[to - 1] as number) - first };
}

type Cut = { readonly old: WrittenEntries; readonly runs: readonly UnchangedRun[]; readonly text: string };

function restoreEntries({ old, runs, text }: Cut, found: WrittenEntries): RestoredEntries | undefined {
  const [labels, starts, ends]: [string[], number[], number[]] = [[], [], []];
  const unchanged = new Set<string>();
  const leftOutAfter = new Map<string, readonly string[]>();
  let [shift, next] = [0, 0];
  for (const [i, label] of found.labels.entries()) {
    const [start, end] = [(found.starts[i] as number) + shift, (found.ends[i] as number) + shift];
    labels.push(label);
    starts.push(start);
    ends.push(end);
    const run = runs[next];
    if (run?.at !== start) continue;
    const { keptTo, leftOut } = extentOf(old, run);
    if (old.labels[run.from] !== label || end !== keptTo) return undefined;
    const moved = run.at - (old.starts[run.from] as number);
    for (let entry = run.from + 1; entry < run.to; entry += 1) {
      labels.push(old.labels[entry] as string);
      starts.push((old.starts[entry] as number) + moved);
      ends.push((old.ends[entry] as number) + moved);
    }
    const own = old.labels.slice(run.from, run.to);
    for (const each of own) unchanged.add(each);
    leftOutAfter.set(label, own.slice(1));
    shift += leftOut;
    next += 1;
  }
  if (next < runs.length || new Set(labels).size < labels.length) return undefined;
  return { entries: { text, labels, starts, ends }, unchanged, leftOutAfter };
}
