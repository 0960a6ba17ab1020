import type { WrittenEntries } from "./written-entries.ts";

/** Neighbouring entries that are in another text as they were: from an index up to another one. */
export type UnchangedRun = {
  readonly from: number;
  readonly to: number;
  /** Offset of the first one in the other text, UTF-16 units. */
  readonly at: number;
};

/** Distance within which the entry after a change is searched first, UTF-16 units. */
const nearDistance = 65_536;

/** Maximum number of changes after which an entry is searched in the whole text, which takes some ms. */
const maxFarSearches = 4;

/**
 * Finds runs of entries that are in `text` as they were. They are only candidates: the same characters may be in a
 * comment or a text now, which `cutUnchanged` finds out.
 */
export function findUnchangedRuns(old: WrittenEntries, text: string): readonly UnchangedRun[] {
  const { starts, ends } = old;
  const count = starts.length;
  const runs: UnchangedRun[] = [];
  let [next, at, now, farSearches] = [0, 0, 0, 0];
  while (next < count) {
    const length = commonLength({ text: old.text, at }, { text, at: now });
    let to = next;
    while (to < count && endWithGap(old, to) <= at + length) to += 1;
    for (let from = next; from < to; ) {
      const end = endOfNeighbours(old, from, to);
      if (end - from > 1) runs.push({ from, to: end, at: now + (starts[from] as number) - at });
      from = end;
    }
    if (to === count) break;
    const from =
      now + Math.min(length, Math.max((starts[to] as number) - at, to > 0 ? (ends[to - 1] as number) - at : 0));
    const isLast = farSearches === maxFarSearches;
    const near = findNextEntry(old, to, { text: text.slice(from, from + nearDistance), from });
    const found = near ?? (isLast ? undefined : findNextEntry(old, to, { text: text.slice(from), from }));
    if (found === undefined) break;
    if (near === undefined) farSearches += 1;
    [next, at, now] = [found.entry, starts[found.entry] as number, found.at];
  }
  return runs;
}

/** Index after the last of the entries from `from` on between which nothing else is written. */
function endOfNeighbours({ text, starts, ends }: WrittenEntries, from: number, to: number): number {
  let end = from + 1;
  while (end < to && isGap(text.slice(ends[end - 1], starts[end]))) end += 1;
  return end;
}

const isGap = (text: string): boolean => /^[\s,]*$/.test(text) || /^[\s,]*$/.test(text.replace(/\/\/[^\n]*/g, ""));

/** End of an entry with what separates it from the next one. */
const endWithGap = ({ starts, ends }: WrittenEntries, entry: number): number =>
  starts[entry + 1] ?? (ends[entry] as number) + 1;

/** Finds an entry at or after `first` in a part of the new text that begins at `from`. Skips more and more entries. */
function findNextEntry(
  old: WrittenEntries,
  first: number,
  { text, from }: { readonly text: string; readonly from: number },
): { readonly entry: number; readonly at: number } | undefined {
  for (let step = 0, entry = first; entry < old.starts.length; step += 1) {
    const at = text.indexOf(old.text.slice(old.starts[entry], endWithGap(old, entry)));
    if (at >= 0) return { entry, at: from + at };
    entry += step < 8 ? 1 : 2 ** (step - 8);
  }
  return undefined;
}

type Place = { readonly text: string; readonly at: number };

/** Length of what two texts have in common from two places on. Compares slices, which takes a tenth of the time of a loop. */
function commonLength(a: Place, b: Place): number {
  const max = Math.min(a.text.length - a.at, b.text.length - b.at);
  const areEqual = (from: number, to: number): boolean =>
    a.text.slice(a.at + from, a.at + to) === b.text.slice(b.at + from, b.at + to);
  let same = 0;
  while (same < max && areEqual(same, Math.min(max, same + nearDistance))) same = Math.min(max, same + nearDistance);
  let limit = Math.min(max, same + nearDistance);
  while (same < limit) {
    const middle = (same + limit + 1) >> 1;
    if (areEqual(same, middle)) same = middle;
    else limit = middle - 1;
  }
  return same;
}
