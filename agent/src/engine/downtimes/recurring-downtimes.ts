import type { Downtime } from "@realmwatch/shared/model/downtime";
import type { RecurringWindow } from "../input.ts";

/** What the id of a downtime that the configuration declares begins with; its name follows. */
export const recurringIdPrefix = "recurring:";

const isRecurring = ({ shape }: Downtime): boolean => shape.kind === "recurring";

/** An occurrence as it stands in an object's state. Whether it is in effect is for `settleDowntimes` to say. */
const entryOf = ({ name, comment, startMs, endMs }: RecurringWindow): Downtime => ({
  id: recurringIdPrefix + name,
  shape: { kind: "recurring", name },
  startMs,
  endMs,
  author: "",
  onBehalfOf: "",
  comment,
  inEffect: false,
});

const says = (entry: Downtime, { comment, startMs, endMs }: RecurringWindow): boolean =>
  entry.startMs === startMs && entry.endMs === endMs && entry.comment === comment;

/** An entry follows its window, and stays the very same where that says nothing new. */
function followed(entry: Downtime, window: RecurringWindow): Downtime {
  if (says(entry, window)) return entry;
  const { comment, startMs, endMs } = window;
  return { ...entry, comment, startMs, endMs };
}

/**
 * [DT8] The recurring downtimes of a state are those of the configuration, each with its current or next occurrence.
 * Answers the same list where that changes nothing.
 */
export function updateRecurringDowntimes(
  downtimes: readonly Downtime[],
  windows: readonly RecurringWindow[],
): readonly Downtime[] {
  if (windows.length === 0) return downtimes.some(isRecurring) ? downtimes.filter((d) => !isRecurring(d)) : downtimes;
  const known = new Map(downtimes.filter(isRecurring).map((entry) => [entry.id, entry]));
  const entries = windows.map((window) => {
    const entry = known.get(recurringIdPrefix + window.name);
    return entry === undefined ? entryOf(window) : followed(entry, window);
  });
  const same = entries.length === known.size && entries.every((entry) => known.get(entry.id) === entry);
  return same ? downtimes : [...downtimes.filter((d) => !isRecurring(d)), ...entries];
}
