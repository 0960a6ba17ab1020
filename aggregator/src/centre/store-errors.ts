import type { Clock } from "@realmwatch/shared/model/clock";

/** Reasons why realms' rows could not be written. */
export type StoreErrors = ReturnType<typeof openStoreErrors>;

/**
 * Time after which an error counts as over, ms. Refused messages come back every second; they may be written by another
 * aggregator then.
 */
const validForMs = 10_000;

export function openStoreErrors(clock: Clock) {
  const errors = new Map<string, { readonly why: string; readonly atMs: number }>();
  return {
    set: (realm: string, why: string) => void errors.set(realm, { why, atMs: clock.monotonic() }),
    /** Ends the error of a realm after a write that succeeded. */
    clear: (realm: string) => void errors.delete(realm),
    /** Reason why a realm cannot be stored; empty for a realm that can. */
    of(realm: string): string {
      const error = errors.get(realm);
      return error !== undefined && clock.monotonic() - error.atMs < validForMs ? error.why : "";
    },
  };
}
