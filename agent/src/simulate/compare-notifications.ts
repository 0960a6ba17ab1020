import type { Told } from "./notification-summary.ts";

/** Messages of two tellings of the same span, paired. `a` and `b` of a pair differ by no more than the tolerance. */
export type ToldDiff = {
  readonly same: readonly { readonly a: Told; readonly b: Told }[];
  /** Only in the first. */
  readonly saved: readonly Told[];
  /** Only in the second. */
  readonly added: readonly Told[];
};

/**
 * [SI2] Pairs messages of one kind about one status of one object to one contact, in the order of time, each with one
 * at most.
 *
 * @param toleranceMs how far apart two may be and still be the same
 */
export function compareTold(first: readonly Told[], second: readonly Told[], toleranceMs: number): ToldDiff {
  const [as, bs] = [grouped(first), grouped(second)];
  const diff = { same: [] as { a: Told; b: Told }[], saved: [] as Told[], added: [] as Told[] };
  for (const name of new Set([...as.keys(), ...bs.keys()]))
    pair(as.get(name) ?? [], bs.get(name) ?? [], toleranceMs, diff);
  diff.saved.sort(byTime);
  diff.added.sort(byTime);
  diff.same.sort((x, y) => byTime(x.a, y.a));
  return diff;
}

type Growing = { readonly same: { a: Told; b: Told }[]; readonly saved: Told[]; readonly added: Told[] };

function pair(as: readonly Told[], bs: readonly Told[], toleranceMs: number, into: Growing): void {
  let [i, j] = [0, 0];
  for (let a = as[i], b = bs[j]; a !== undefined && b !== undefined; a = as[i], b = bs[j]) {
    if (Math.abs(a.atMs - b.atMs) <= toleranceMs) {
      into.same.push({ a, b });
      i += 1;
      j += 1;
    } else if (a.atMs < b.atMs) {
      into.saved.push(a);
      i += 1;
    } else {
      into.added.push(b);
      j += 1;
    }
  }
  into.saved.push(...as.slice(i));
  into.added.push(...bs.slice(j));
}

function grouped(all: readonly Told[]): Map<string, Told[]> {
  const groups = new Map<string, Told[]>();
  for (const told of all.toSorted(byTime)) {
    const name = [told.ref, told.contact, told.kind, told.status].join("\0");
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [told]);
    else group.push(told);
  }
  return groups;
}

const byTime = (a: Told, b: Told): number => a.atMs - b.atMs || (a.ref < b.ref ? -1 : a.ref > b.ref ? 1 : 0);
