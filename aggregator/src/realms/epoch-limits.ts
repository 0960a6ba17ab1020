import { isEpochTooFarAhead } from "@realmwatch/shared/wire/nats/epoch-limit";

/**
 * [FD5] Reason why an epoch or revision is refused; undefined when it is accepted. A poisoned epoch would outrank all that
 * the realm publishes later.
 */
export function epochRefusal(epoch: number, revision: number, nowMs: number): string | undefined {
  if (!Number.isSafeInteger(revision)) return "its revision is above 2^53";
  if (!Number.isSafeInteger(epoch)) return "its epoch is above 2^53";
  return isEpochTooFarAhead(epoch, nowMs) ? `its epoch ${epoch} is more than a day ahead` : undefined;
}
