import type { Clock } from "@realmwatch/shared/model/clock";
import type { RightToAct } from "./right-to-act.ts";

/** Timeout of an action, ms: the one that it asks for, or the longest that the right allows. */
export const cutTimeoutMs = (right: RightToAct, askedMs: number): number => Math.min(askedMs, right.longestActionMs);

/** True when an action that asks for this timeout ends before the right does. */
export const fitsRight = (right: RightToAct, askedMs: number): boolean => {
  const remainingMs = right.remainingMs();
  return remainingMs > 0 && remainingMs >= cutTimeoutMs(right, askedMs);
};

/**
 * [PA40] Waits until an action that asks for this timeout fits into the right. Resolves with false when `signal` aborts
 * before.
 */
export async function whenRightFits(right: RightToAct, askedMs: number, signal?: AbortSignal): Promise<boolean> {
  if (fitsRight(right, askedMs)) return signal?.aborted !== true;
  return new Promise((resolve) => {
    const finish = (fits: boolean): void => {
      stopCalls();
      signal?.removeEventListener("abort", stop);
      resolve(fits);
    };
    const stop = (): void => finish(false);
    const stopCalls = right.onGained(() => {
      if (fitsRight(right, askedMs)) finish(true);
    });
    signal?.addEventListener("abort", stop);
    if (signal?.aborted) stop();
  });
}

/** Runs an action and interrupts it at the end of the right, for actions that may wait before they begin. */
export async function whileRightLasts<T>(
  right: RightToAct,
  clock: Pick<Clock, "after">,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  let cancel = (): void => {};
  const watch = (): void => {
    const remainingMs = right.remainingMs();
    if (remainingMs <= 0) ended.abort();
    else if (Number.isFinite(remainingMs)) cancel = clock.after(remainingMs, watch);
  };
  watch();
  return run(ended.signal).finally(() => cancel());
}

/**
 * SendAdmission of an action. `safe`: it ends before the right does. `unsafe`: it begins without the right, so that another
 * member may do the same. `wait`: it must not begin now.
 */
export type SendAdmission = "safe" | "unsafe" | "wait";

/** Decides whether the notifications of one contact may be sent, and knows for how long they had to wait. */
export class RightGate {
  readonly #right: RightToAct;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #opened: () => void;
  #heldMs = 0;
  #heldSinceMs: number | undefined;
  #stopCalls = (): void => {};

  /** @param opened called when an action may fit that had to wait */
  constructor(right: RightToAct, clock: Pick<Clock, "monotonic">, opened: () => void) {
    this.#right = right;
    this.#clock = clock;
    this.#opened = opened;
  }

  /** Monotonic time without the time during which an action had to wait for the right, ms. */
  unheldMs(): number {
    const nowMs = this.#clock.monotonic();
    return nowMs - this.#heldMs - (this.#heldSinceMs === undefined ? 0 : nowMs - this.#heldSinceMs);
  }

  /** Judges an action that asks for this timeout. After `wait`, `opened` is called once the right may suffice. */
  admit(askedMs: number): SendAdmission {
    if (fitsRight(this.#right, askedMs)) {
      this.close();
      return "safe";
    }
    if (this.#right.pagesWithoutRight) return "unsafe";
    if (this.#heldSinceMs === undefined) {
      this.#heldSinceMs = this.#clock.monotonic();
      this.#stopCalls = this.#right.onGained(() => this.#opened());
    }
    return "wait";
  }

  /** Ends the waiting. */
  close(): void {
    if (this.#heldSinceMs !== undefined) this.#heldMs += this.#clock.monotonic() - this.#heldSinceMs;
    this.#heldSinceMs = undefined;
    this.#stopCalls();
    this.#stopCalls = () => {};
  }
}
