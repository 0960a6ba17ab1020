import { isDeepStrictEqual } from "node:util";
import type { ObjectState } from "@realmwatch/agent/engine/state/object-state";

/** Names of the parts of a state that a killed agent would find otherwise. */
export function staleFields(found: ObjectState | undefined, live: ObjectState, isKept: boolean): readonly string[] {
  const parts = Object.keys(live) as (keyof ObjectState)[];
  const stale = parts.filter((part) => !isDeepStrictEqual(plain(found?.[part]), plain(live[part])));
  // What was never heard of is not kept at all; it begins anew, and so does its silence.
  const beginsAnew = !isKept && live.last === undefined;
  return beginsAnew ? stale.filter((part) => part !== "freshFromMs" && part !== "heardAtMs") : stale;
}

/** As it looks once it was written and read. */
const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));
