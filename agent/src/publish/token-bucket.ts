import { type Clock, sleep } from "@realmwatch/shared/model/clock";

export type TokenBucket = {
  /** Waits until `count` items may pass, or until `signal` aborts. For one caller at a time. */
  take(count: number, signal: AbortSignal): Promise<void>;
};

/** Limits a rate. @param burst number of items that may pass at once after a pause */
export function openTokenBucket(io: {
  readonly clock: Clock;
  readonly perSecond: number;
  readonly burst: number;
}): TokenBucket {
  const { clock, perSecond, burst } = io;
  let tokens = burst;
  let filledAtMs = clock.monotonic();
  return {
    async take(count, signal) {
      const nowMs = clock.monotonic();
      tokens = Math.min(burst, tokens + ((nowMs - filledAtMs) / 1_000) * perSecond) - count;
      filledAtMs = nowMs;
      if (tokens < 0) await sleep(clock, (-tokens / perSecond) * 1_000, signal);
    },
  };
}
