import type { NotificationSummary } from "./notification-summary.ts";

/** Messages of two tellings of the same span, paired. `a` and `b` of a pair differ by no more than the tolerance. */
export type NotificationDiff = {
  readonly same: readonly { readonly a: NotificationSummary; readonly b: NotificationSummary }[];
  /** Only in the first. */
  readonly saved: readonly NotificationSummary[];
  /** Only in the second. */
  readonly added: readonly NotificationSummary[];
};

/**
 * [SI2] Pairs messages of one kind about one status of one object to one contact, in the order of time, each with one
 * at most.
 *
 * @param toleranceMs how far apart two may be and still be the same
 */
export function compareNotifications(
  first: readonly NotificationSummary[],
  second: readonly NotificationSummary[],
  toleranceMs: number,
): NotificationDiff {
  const [as, bs] = [grouped(first), grouped(second)];
  const diff = {
    same: [] as { a: NotificationSummary; b: NotificationSummary }[],
    saved: [] as NotificationSummary[],
    added: [] as NotificationSummary[],
  };
  for (const name of new Set([...as.keys(), ...bs.keys()]))
    pair(as.get(name) ?? [], bs.get(name) ?? [], toleranceMs, diff);
  diff.saved.sort(byTime);
  diff.added.sort(byTime);
  diff.same.sort((x, y) => byTime(x.a, y.a));
  return diff;
}

type Growing = {
  readonly same: { a: NotificationSummary; b: NotificationSummary }[];
  readonly saved: NotificationSummary[];
  readonly added: NotificationSummary[];
};

function pair(
  as: readonly NotificationSummary[],
  bs: readonly NotificationSummary[],
  toleranceMs: number,
  into: Growing,
): void {
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

function grouped(all: readonly NotificationSummary[]): Map<string, NotificationSummary[]> {
  const groups = new Map<string, NotificationSummary[]>();
  for (const told of all.toSorted(byTime)) {
    const name = [told.ref, told.contact, told.kind, told.status].join("\0");
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [told]);
    else group.push(told);
  }
  return groups;
}

const byTime = (a: NotificationSummary, b: NotificationSummary): number =>
  a.atMs - b.atMs || (a.ref < b.ref ? -1 : a.ref > b.ref ? 1 : 0);
