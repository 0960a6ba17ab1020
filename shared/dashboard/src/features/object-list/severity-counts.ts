import type { StatusSummary } from "@realmwatch/proto/svc/v1/query_pb";
import type { Status } from "@realmwatch/shared/model/status";
import { statusNames } from "@realmwatch/shared/view/row-status";
import { countsByStatus } from "../../api/status/status-counts.ts";

type SeverityCount = {
  readonly status: Status;
  /** Objects of current realms. */
  readonly current: number;
  /** Objects of the other realms, as last known. */
  readonly lastKnown: number;
};

/** Counts per status, most severe first: every status that occurs or is in `selected`. */
export function severityCounts(
  summary: StatusSummary | undefined,
  selected: readonly Status[],
): readonly SeverityCount[] {
  const all = countsByStatus(summary);
  const stale = countsByStatus(summary?.lastKnown);
  return statusNames
    .map((status) => {
      const lastKnown = stale.get(status) ?? 0;
      return { status, current: (all.get(status) ?? 0) - lastKnown, lastKnown };
    })
    .filter(({ status, current, lastKnown }) => current + lastKnown > 0 || selected.includes(status));
}

/** Text of a chip after the number of current objects: `ok`, `ok, 13 last known`. */
export const severityText = ({ status, lastKnown }: SeverityCount): string =>
  lastKnown === 0 ? status : `${status}, ${lastKnown} last known`;
