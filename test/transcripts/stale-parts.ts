import { isDeepStrictEqual } from "node:util";
import { newState, type ObjectState, reviveState } from "@realmwatch/agent/engine/state";

/** Names of the parts of a state that a killed agent would find otherwise. */
export function staleParts(kept: string | undefined, live: ObjectState): readonly string[] {
  // What nothing has happened to is not kept at all; it begins anew, and so does its silence.
  const known = kept === undefined ? newState(live.freshFromMs) : reviveState(JSON.parse(kept), 0);
  const parts = Object.keys(live) as (keyof ObjectState)[];
  return parts.filter((part) => !isDeepStrictEqual(plain(known[part]), plain(live[part])));
}

/** As it looks once it was written and read. */
const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));
