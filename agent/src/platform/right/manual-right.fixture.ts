import type { Clock } from "@realmwatch/shared/model/clock";
import type { RightToAct } from "./right-to-act.ts";

type ManualRight = RightToAct & {
  /** Grants the right for `ms` from now. */
  grant(ms: number): void;
  end(): void;
};

/** A right for tests, which ends by the clock and is granted by hand. It begins without an end. */
export function manualRight(
  clock: Pick<Clock, "monotonic">,
  { longestActionMs = 30_000, pagesWithoutRight = false } = {},
): ManualRight {
  let endsAtMs = Number.POSITIVE_INFINITY;
  const callbacks = new Set<() => void>();
  return {
    longestActionMs,
    pagesWithoutRight,
    remainingMs: () => Math.max(0, endsAtMs - clock.monotonic()),
    onGained(callback) {
      callbacks.add(callback);
      return () => void callbacks.delete(callback);
    },
    whyEnded: () => "the lease ended",
    grant(ms) {
      endsAtMs = clock.monotonic() + ms;
      for (const callback of [...callbacks]) callback();
    },
    end() {
      endsAtMs = clock.monotonic();
    },
  };
}
