import { isEpochTooFarAhead } from "@realmwatch/shared/wire/nats/epoch-limit";

/**
 * [FD80] New epoch of a realm, at the agent's start or later: the wall clock in ms, or one more than the greatest of
 * `known` (stored in the data directory, or found in the stream), whichever is greater. Those more than a day ahead of the
 * clock do not count: every receiver refuses them, for as long as the clock was wrong.
 */
export const mintEpoch = (nowMs: number, ...known: readonly number[]): number =>
  Math.max(Math.floor(nowMs), ...known.filter((epoch) => !isEpochTooFarAhead(epoch, nowMs)).map((epoch) => epoch + 1));
