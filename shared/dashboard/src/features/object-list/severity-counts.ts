import type { IsStale } from "../../api/status/realm-freshness.ts";
import type { StatusItem } from "../../api/status/status-item.ts";
import { type StatusName, statusNames } from "../../api/status/status-name.ts";

export type SeverityCount = {
  readonly status: StatusName;
  /** Objects of current realms. */
  readonly current: number;
  /** Objects of the other realms, as last known. */
  readonly lastKnown: number;
};

/** Counts objects per status, most severe first: every status that occurs or is in `selected`. */
export function countSeverities(
  items: Iterable<StatusItem>,
  isStale: IsStale,
  selected: readonly StatusName[],
): readonly SeverityCount[] {
  const counts = new Map(statusNames.map((status) => [status, { status, current: 0, lastKnown: 0 }]));
  for (const item of items) {
    const count = counts.get(item.statusName);
    if (count !== undefined) count[isStale(item) ? "lastKnown" : "current"]++;
  }
  return [...counts.values()].filter(
    ({ status, current, lastKnown }) => current + lastKnown > 0 || selected.includes(status),
  );
}

/** Text of a chip after the number of current objects: `ok`, `ok, 13 last known`. */
export const severityText = ({ status, lastKnown }: SeverityCount): string =>
  lastKnown === 0 ? status : `${status}, ${lastKnown} last known`;
