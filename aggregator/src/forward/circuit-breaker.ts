import type { Clock } from "@realmwatch/shared/model/clock";

/** Circuit breaker: spares callers the wait for a realm that does not answer. */
export type CircuitBreaker = ReturnType<typeof circuitBreaker>;

const failuresToOpen = 3;
const pauseMs = 5_000;

export function circuitBreaker(clock: Clock) {
  let failures = 0;
  let closedUntilMs = 0;
  return {
    /** True when a call may be made. After each pause exactly one trial call may. */
    allows(): boolean {
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
