import type { StatusRow } from "@realmwatch/proto/svc/v1/query_pb";
import { useRecentChange } from "../context/use-recent-change.ts";

/** Intervals between reads of an object's history, ms: soon after its row has changed, and without a change. */
const pollMs = { afterChange: 5_000, idle: 600_000 } as const;

/**
 * Interval in which the history of an object is read, ms. All that history records of an object changes its row too; a
 * record may arrive a little later than the row, so the history is read a few times after each change.
 */
export const useHistoryPollMs = (row: StatusRow | undefined): number =>
  useRecentChange(row && recordedFieldsOf(row)) ? pollMs.afterChange : pollMs.idle;

/** Text of the fields of a row whose changes leave records in the history. */
function recordedFieldsOf(row: StatusRow): string {
  const { status, stateType, attempt, flapping, acknowledgement, downtimes, inDowntime, comments, notification } = row;
  const { activeChecksEnabled, passiveChecksEnabled, notificationsEnabled, suppressedBy } = row;
  return JSON.stringify(
    [
      ...[status, stateType, attempt, flapping, acknowledgement, downtimes, inDowntime, comments, notification],
      ...[activeChecksEnabled, passiveChecksEnabled, notificationsEnabled, suppressedBy],
    ],
    (_, value: unknown) => (typeof value === "bigint" ? String(value) : value),
  );
}
