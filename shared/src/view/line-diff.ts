/** Line of a comparison: in both texts, only in the first one, or only in the second one. */
type DiffLine = { readonly kind: "same" | "removed" | "added"; readonly text: string };

/** Maximum number of cells of the table for the longest common subsequence. */
const maxCells = 4_000_000;

/**
 * Compares two lists of lines. Lines that occur exactly once on each side are used as anchors (patience diff). Between
 * anchors, the longest common subsequence is used; a stretch too large for it is replaced completely.
 */
export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  return [
    ...as("same", before.slice(0, head)),
    ...diffMiddle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...as("same", before.slice(before.length - tail)),
  ];
}

const as = (kind: DiffLine["kind"], lines: readonly string[]): DiffLine[] => lines.map((text) => ({ kind, text }));

/** Compares two lists without a common start or end. */
function diffMiddle(before: readonly string[], after: readonly string[]): DiffLine[] {
  if (before.length === 0 || after.length === 0) return [...as("removed", before), ...as("added", after)];
  const anchors = commonAnchors(before, after);
  if (anchors.length === 0) return diffBySubsequence(before, after);
  const lines: DiffLine[] = [];
  let [fromBefore, fromAfter] = [0, 0];
  for (const [b, a] of anchors) {
    lines.push(...diffLines(before.slice(fromBefore, b), after.slice(fromAfter, a)));
    lines.push({ kind: "same", text: before[b] ?? "" });
    [fromBefore, fromAfter] = [b + 1, a + 1];
  }
  lines.push(...diffLines(before.slice(fromBefore), after.slice(fromAfter)));
  return lines;
}

type Pair = readonly [before: number, after: number];

/** Indexes of lines that are unique on both sides: the longest subsequence that is in order on both. */
function commonAnchors(before: readonly string[], after: readonly string[]): Pair[] {
  const [inBefore, inAfter] = [uniquePlaces(before), uniquePlaces(after)];
  const pairs = [...inBefore].flatMap(([text, b]): Pair[] => {
    const a = inAfter.get(text);
    return a === undefined ? [] : [[b, a]];
  });
  return longestRising(pairs);
}

function uniquePlaces(lines: readonly string[]): Map<string, number> {
  const places = new Map<string, number>();
  const repeated = new Set<string>();
  for (const [at, text] of lines.entries()) {
    if (places.has(text)) repeated.add(text);
    places.set(text, at);
  }
  for (const text of repeated) places.delete(text);
  return places;
}

/** The longest subsequence whose second places rise; the first ones do already. Patience sorting. */
function longestRising(pairs: readonly Pair[]): Pair[] {
  type Link = { readonly pair: Pair; readonly previous: Link | undefined };
  const tops: Link[] = [];
  for (const pair of pairs) {
    let [low, high] = [0, tops.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((tops[middle]?.pair[1] ?? 0) < pair[1]) low = middle + 1;
      else high = middle;
    }
    tops[low] = { pair, previous: tops[low - 1] };
  }
  const rising: Pair[] = [];
  for (let link = tops.at(-1); link !== undefined; link = link.previous) rising.push(link.pair);
  return rising.reverse();
}

function diffBySubsequence(before: readonly string[], after: readonly string[]): DiffLine[] {
  const width = after.length + 1;
  if ((before.length + 1) * width > maxCells) return [...as("removed", before), ...as("added", after)];
  // common[b * width + a]: length of the longest common subsequence of what follows b and a.
  const common = new Uint32Array((before.length + 1) * width);
  const at = (b: number, a: number): number => common[b * width + a] ?? 0;
  for (let b = before.length - 1; b >= 0; b -= 1)
    for (let a = after.length - 1; a >= 0; a -= 1)
      common[b * width + a] = before[b] === after[a] ? at(b + 1, a + 1) + 1 : Math.max(at(b + 1, a), at(b, a + 1));
  const lines: DiffLine[] = [];
  let [b, a] = [0, 0];
  while (b < before.length && a < after.length) {
    if (before[b] === after[a]) {
      lines.push({ kind: "same", text: before[b] ?? "" });
      [b, a] = [b + 1, a + 1];
    } else if (at(b + 1, a) >= at(b, a + 1)) lines.push({ kind: "removed", text: before[b++] ?? "" });
    else lines.push({ kind: "added", text: after[a++] ?? "" });
  }
  return [...lines, ...as("removed", before.slice(b)), ...as("added", after.slice(a))];
}

/** Line of a hunk with its numbers from 1; undefined in the text that lacks the line. */
type HunkLine = DiffLine & { readonly before: number | undefined; readonly after: number | undefined };
/** Changed lines with their context. Line numbers count from 1. */
type Hunk = { readonly oldFrom: number; readonly newFrom: number; readonly lines: readonly HunkLine[] };

/** Groups the changes of a comparison, with up to `context` equal lines around each; empty without changes. */
export function hunksOf(lines: readonly DiffLine[], context: number): Hunk[] {
  const near = lines.map(() => false);
  for (const [at, { kind }] of lines.entries())
    if (kind !== "same") near.fill(true, Math.max(0, at - context), at + context + 1);
  const hunks: { oldFrom: number; newFrom: number; lines: HunkLine[] }[] = [];
  let [oldLine, newLine] = [1, 1];
  for (const [at, { kind, text }] of lines.entries()) {
    if (near[at] && !near[at - 1]) hunks.push({ oldFrom: oldLine, newFrom: newLine, lines: [] });
    const before = kind === "added" ? undefined : oldLine++;
    const after = kind === "removed" ? undefined : newLine++;
    if (near[at]) hunks.at(-1)?.lines.push({ kind, text, before, after });
  }
  return hunks;
}

/** Splits a text into lines; a final line break starts no further line. */
const linesOf = (text: string): string[] => text.replace(/\r?\n$/, "").split(/\r?\n/);

/** Changes from one document to another, each with three unchanged lines around it; empty when all lines are equal. */
export const documentHunks = (before: string, after: string): Hunk[] =>
  hunksOf(diffLines(linesOf(before), linesOf(after)), 3);

const signs = { same: " ", removed: "-", added: "+" } as const;

/** Formats a hunk as `diff -u` does, header line first. */
export function formatHunk({ oldFrom, newFrom, lines }: Hunk): string[] {
  const count = (without: DiffLine["kind"]): number => lines.filter(({ kind }) => kind !== without).length;
  // For an empty side, the format requires the number of the line before it.
  const side = (from: number, length: number): string => `${length === 0 ? from - 1 : from},${length}`;
  const head = `@@ -${side(oldFrom, count("added"))} +${side(newFrom, count("removed"))} @@`;
  return [head, ...lines.map(({ kind, text }) => signs[kind] + text)];
}
