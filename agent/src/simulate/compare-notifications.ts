import type { NotificationSummary } from "./recording.ts";

/** Notifications of two runs over the same span, paired. The times of `a` and `b` differ by at most the tolerance. */
export type NotificationDiff = {
  readonly same: readonly { readonly a: NotificationSummary; readonly b: NotificationSummary }[];
  /** Only in the first run. */
  readonly saved: readonly NotificationSummary[];
  /** Only in the second run. */
  readonly added: readonly NotificationSummary[];
};

/**
 * [SI2] Pairs notifications with the same kind, status, object and contact, in the order of time, each at most once.
 *
 * @param toleranceMs longest time between two notifications that count as the same
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

type DiffBuilder = {
  readonly same: { a: NotificationSummary; b: NotificationSummary }[];
  readonly saved: NotificationSummary[];
  readonly added: NotificationSummary[];
};

function pair(
  as: readonly NotificationSummary[],
  bs: readonly NotificationSummary[],
  toleranceMs: number,
  into: DiffBuilder,
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
  for (const notification of all.toSorted(byTime)) {
    const name = [notification.ref, notification.contact, notification.kind, notification.status].join("\0");
    groups.getOrInsertComputed(name, () => []).push(notification);
  }
  return groups;
}

const byTime = (a: NotificationSummary, b: NotificationSummary): number =>
  a.atMs - b.atMs || (a.ref < b.ref ? -1 : a.ref > b.ref ? 1 : 0);
