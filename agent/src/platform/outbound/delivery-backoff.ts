import { backoffMs } from "@realmwatch/shared/platform/backoff";
import type { RandomSource } from "@realmwatch/shared/platform/random";

const bounds = { firstMs: 1_000, longestMs: 60_000 };

/**
 * Delay before the next delivery, ms: from 1 s up to one minute, half of it random. A delay requested by the receiver is
 * a lower bound.
 *
 * @param failures number of consecutive failed attempts, at least 1
 * @param afterMs delay that the receiver requested
 */
export const deliveryBackoffMs = (failures: number, random: RandomSource, afterMs = 0): number =>
  Math.max(afterMs, backoffMs(bounds, failures, random));
