import type { Clock } from "@realmwatch/shared/model/clock";

/** Keeps callers from waiting again and again for a realm that does not answer. */
export type CircuitBreaker = {
  /** Whether a call may be tried. After a pause exactly one may, to find out. */
  allows(): boolean;
  succeed(): void;
  fail(): void;
};

const failuresToOpen = 3;
const pauseMs = 5_000;

export function circuitBreaker(clock: Clock): CircuitBreaker {
  let failures = 0;
  let closedUntilMs = 0;
  return {
    allows() {
      if (failures < failuresToOpen) return true;
      if (clock.monotonic() < closedUntilMs) return false;
      closedUntilMs = clock.monotonic() + pauseMs;
      return true;
    },
    succeed() {
      failures = 0;
    },
    fail() {
      failures++;
      if (failures >= failuresToOpen) closedUntilMs = clock.monotonic() + pauseMs;
    },
  };
}
