import { type Downtime, recurringIdPrefix } from "@realmwatch/shared/model/downtime";
import type { RecurringWindow } from "../object-context.ts";

const isRecurring = ({ shape }: Downtime): boolean => shape.kind === "recurring";

/** The downtime of an occurrence, not in effect yet: the shared `advanceDowntimes` sets that flag. */
const downtimeOf = ({ name, comment, startMs, endMs }: RecurringWindow): Downtime => ({
  id: recurringIdPrefix + name,
  shape: { kind: "recurring", name },
  startMs,
  endMs,
  author: "",
  onBehalfOf: "",
  comment,
  inEffect: false,
});

const matches = (downtime: Downtime, { comment, startMs, endMs }: RecurringWindow): boolean =>
  downtime.startMs === startMs && downtime.endMs === endMs && downtime.comment === comment;

/** Moves a downtime to its window. Returns the same object when nothing differs. */
function moved(downtime: Downtime, window: RecurringWindow): Downtime {
  if (matches(downtime, window)) return downtime;
  const { comment, startMs, endMs } = window;
  return { ...downtime, comment, startMs, endMs };
}

/**
 * [DT8] Replaces the recurring downtimes of a state by those of the configuration, each with its current or next
 * occurrence. Returns the same list when nothing changes.
 */
export function updateRecurringDowntimes(
  downtimes: readonly Downtime[],
  windows: readonly RecurringWindow[],
): readonly Downtime[] {
  if (windows.length === 0) return downtimes.some(isRecurring) ? downtimes.filter((d) => !isRecurring(d)) : downtimes;
  const known = new Map(downtimes.filter(isRecurring).map((downtime) => [downtime.id, downtime]));
  const recurring = windows.map((window) => {
    const downtime = known.get(recurringIdPrefix + window.name);
    return downtime === undefined ? downtimeOf(window) : moved(downtime, window);
  });
  const same = recurring.length === known.size && recurring.every((downtime) => known.get(downtime.id) === downtime);
  return same ? downtimes : [...downtimes.filter((d) => !isRecurring(d)), ...recurring];
}
