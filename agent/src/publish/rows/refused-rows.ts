import type { Clock } from "@realmwatch/shared/model/clock";
import type { RowChange } from "@realmwatch/shared/row/row";

/** Minimum time between two repetitions of refused rows, ms. */
const repeatAfterMs = 30_000;
/** Number of rows in one repetition: without permission each costs the broker a line in its log. */
const rowsPerRepetition = 16;

/**
 * Newest change of each object whose last message NATS refused. They are sent again some at a time, since a limit or a
 * permission of the broker may change, and all of them as soon as one is stored.
 */
export class RefusedRows {
  readonly #clock: Clock;
  readonly #changes = new Map<string, RowChange>();
  #repeatedAtMs = Number.NEGATIVE_INFINITY;
  #connection = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  set(ref: string, change: RowChange): void {
    // The object moves to the end: each repetition takes others.
    this.#changes.delete(ref);
    this.#changes.set(ref, change);
  }

  /** @returns true when the object had a refused change */
  delete(ref: string): boolean {
    return this.#changes.delete(ref);
  }

  /**
   * Changes to send again now; empty until the last repetition is long enough ago, or on another connection.
   *
   * @param connection number of the present connection
   */
  due(connection: number): readonly RowChange[] {
    const nowMs = this.#clock.monotonic();
    const isSameConnection = connection === this.#connection;
    if (this.#changes.size === 0 || (isSameConnection && nowMs - this.#repeatedAtMs < repeatAfterMs)) return [];
    [this.#repeatedAtMs, this.#connection] = [nowMs, connection];
    return this.some();
  }

  some(): readonly RowChange[] {
    return [...this.#changes.values()].slice(0, rowsPerRepetition);
  }

  /** Starts a new epoch: all rows are sent with it anyway, and removals get it, to supersede old rows. */
  startEpoch(epoch: number): void {
    for (const [ref, change] of this.#changes)
      if (change.kind === "put") this.#changes.delete(ref);
      else this.#changes.set(ref, { ...change, epoch });
  }
}
