import type { ListStatusResponse, Realm, StatusSummary } from "@realmwatch/proto/svc/v1/query_pb";
import { keyOfWireRef, objectIdOf } from "./object-key.ts";
import { type StatusItem, statusItemOf } from "./status-item.ts";

/** Rows of one feed after some polls. Each poll makes a new snapshot; unchanged rows keep their identity. */
export type StatusSnapshot = {
  readonly items: ReadonlyMap<string, StatusItem>;
  /** On an aggregator, every configured realm; empty on an agent. */
  readonly realms: readonly Realm[];
  readonly summary: StatusSummary | undefined;
  /** Value of `changedSince` for the next poll. */
  readonly revision: string;
  /** Time at which the response arrived, Unix ms of this browser. */
  readonly atMs: number;
};

/**
 * Merges one response into the snapshot. The first response, and one marked `full`, replaces all rows; any other adds
 * the changed rows and drops the removed ones.
 */
export function mergeStatus(
  before: StatusSnapshot | undefined,
  answer: ListStatusResponse,
  atMs: number,
): StatusSnapshot {
  const previous = before === undefined || answer.full === true ? new Map<string, StatusItem>() : before.items;
  const { realms, summary, revision } = answer;
  if (answer.rows.length === 0 && answer.removed.length === 0)
    return { items: previous, realms, summary, revision, atMs };
  const items = new Map(previous);
  for (const { realm, object } of answer.removed) {
    const key = keyOfWireRef(object);
    if (key !== undefined) items.delete(objectIdOf(realm, key));
  }
  for (const row of answer.rows) {
    const item = statusItemOf(row);
    if (item !== undefined) items.set(item.id, item);
  }
  return { items, realms, summary, revision, atMs };
}
