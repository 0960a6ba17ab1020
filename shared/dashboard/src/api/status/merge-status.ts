import type { ListStatusResponse, Realm, StatusSummary } from "@realmwatch/proto/svc/v1/query_pb";
import { keyOfWireRef, objectIdOf } from "./object-key.ts";
import { type StatusItem, statusItemOf } from "./status-item.ts";

/** What is known of a filter's rows after some polls. A new value after each poll; rows that did not change are kept. */
export type StatusSnapshot = {
  readonly items: ReadonlyMap<string, StatusItem>;
  /** On an aggregator, each configured realm. */
  readonly realms: readonly Realm[];
  readonly summary: StatusSummary | undefined;
  /** For the next `changedSince`. */
  readonly revision: string;
  /** When the answer arrived, Unix ms of this browser. */
  readonly atMs: number;
};

/**
 * The snapshot after one answer. A first answer, and one marked `full`, replaces everything; any other
 * brings what changed and what left.
 */
export function mergeStatus(
  before: StatusSnapshot | undefined,
  answer: ListStatusResponse,
  atMs: number,
): StatusSnapshot {
  const kept = before === undefined || answer.full === true ? new Map<string, StatusItem>() : before.items;
  const { realms, summary, revision } = answer;
  if (answer.rows.length === 0 && answer.removed.length === 0) return { items: kept, realms, summary, revision, atMs };
  const items = new Map(kept);
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
