/**
 * Finds the candidate with the smallest edit distance to `name`; a difference in letter case counts half. Of equal
 * candidates the first wins. Undefined when no candidate is within `within` edits.
 */
export function nearestName(name: string, candidates: Iterable<string>, within = Infinity): string | undefined {
  let best: string | undefined;
  let bestDistance = within + 0.5;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue;
    const distance = editDistance(name, candidate, bestDistance);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
    if (bestDistance === 0) break;
  }
  return best;
}

/** Maximum edit distance that counts as a typing error: a third of the name's length. */
export const maxTypoDistance = (name: string): number => Math.ceil(name.length / 3);

/** Number of insertions, deletions and substitutions of characters. Stops when `limit` is reached. */
function editDistance(a: string, b: string, limit: number): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const exchanged = (row[j - 1] as number) + costOf(a[i - 1] as string, b[j - 1] as string);
      next.push(Math.min(exchanged, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    if (Math.min(...next) >= limit) return limit;
    row = next;
  }
  return row[b.length] as number;
}

function costOf(a: string, b: string): number {
  if (a === b) return 0;
  return a.toLowerCase() === b.toLowerCase() ? 0.5 : 1;
}
