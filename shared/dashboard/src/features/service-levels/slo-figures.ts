import { Status as WireStatus } from "@realmwatch/proto/svc/v1/common_pb";
import type { SloReport, StatusSeconds } from "@realmwatch/proto/svc/v1/query_pb";
import type { Status } from "@realmwatch/shared/model/status";
import { statusNameOf, statusNames } from "@realmwatch/shared/view/row-status";

/** Percentage, rounded down, so that a missed target is never written as reached. */
export function formatPercent(percent: number): string {
  const digits = percent >= 99 ? 1_000 : 100;
  return `${Math.floor(percent * digits + 1e-9) / digits} %`;
}

/** The error budget in words. */
export function budgetText(left: number): string {
  if (left > 0) return `${Math.floor(left * 100)} % left`;
  return left === 0 ? "used up" : `overspent by ${Math.ceil(-left * 100)} %`;
}

/**
 * Judgement of an objective: missed, in danger (it burns faster than its budget lasts, or little is left), good, or
 * none without evidence.
 */
export function sloTone({ achieved, target, errorBudgetLeft = 0, burnRate = 0 }: SloReport): SloTone {
  if (achieved === undefined) return "none";
  if (achieved < target) return "bad";
  return burnRate > 1 || errorBudgetLeft < 0.2 ? "fair" : "good";
}

type SloTone = "bad" | "fair" | "good" | "none";

/** Order of reports: the smallest budget first, those without evidence last. */
export function compareReports(a: SloReport, b: SloReport): number {
  const [left, right] = [a, b].map(({ errorBudgetLeft = Number.MAX_VALUE }) => errorBudgetLeft);
  return (left ?? 0) - (right ?? 0) || a.name.localeCompare(b.name);
}

/** Time in one state; `status` is undefined for time without evidence. */
type StatusShare = { readonly status: Status | undefined; readonly seconds: number; readonly share: number };

/** Times by state, worst first, with their shares of the sum; time without evidence is last. */
export function statusShares(seconds: readonly Pick<StatusSeconds, "status" | "seconds">[]): readonly StatusShare[] {
  const total = seconds.reduce((sum, one) => sum + one.seconds, 0);
  const shares = seconds
    .filter((one) => one.seconds > 0)
    .map((one): StatusShare => {
      const status = one.status === WireStatus.UNSPECIFIED ? undefined : statusNameOf(one.status);
      return { status, seconds: one.seconds, share: one.seconds / total };
    });
  const rank = ({ status }: StatusShare): number =>
    status === undefined ? statusNames.length : statusNames.indexOf(status);
  return shares.toSorted((a, b) => rank(a) - rank(b));
}
