import { isDeepStrictEqual } from "node:util";
import type { ObjectState } from "@realmwatch/agent/engine/state/object-state";

/** Names of the fields of a state that differ from what an agent would restore after being killed now. */
export function staleFields(found: ObjectState | undefined, live: ObjectState, isStored: boolean): readonly string[] {
  const fields = Object.keys(live) as (keyof ObjectState)[];
  const stale = fields.filter((field) => !isDeepStrictEqual(plain(found?.[field]), plain(live[field])));
  // The state of an object without a result is not stored: its freshness threshold restarts.
  const restarts = !isStored && live.last === undefined;
  return restarts ? stale.filter((field) => field !== "freshFromMs" && field !== "heardAtMs") : stale;
}

/** The value after it was stored as JSON and restored. */
const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));
