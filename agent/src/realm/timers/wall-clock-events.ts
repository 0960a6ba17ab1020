import type { Clock } from "@realmwatch/shared/model/clock";
import { hasPendingTimer } from "../../engine/notify/notification-state.ts";
import type { LoopInput } from "../loop/realm-inputs.ts";
import { scheduledPlanOf } from "../schedule/check-times.ts";
import { nextMuteEndMs } from "../state/contact-mutes.ts";
import type { DependencyTracker } from "../state/dependency-tracker.ts";
import type { RealmReader } from "../state/realm-reader.ts";
import type { DueQueue } from "./due-queue.ts";

type WallClockEventsOptions = {
  readonly clock: Clock;
  readonly realm: Pick<RealmReader, "records" | "program"> & {
    readonly dependencies: Pick<DependencyTracker, "isDue" | "nextPeriodChangeAtMs">;
  };
  /** Wall-clock deadlines at which the passing of time may change an object. */
  readonly timers: DueQueue;
  /** Submits an input that has become due. */
  due(input: LoopInput): void;
  /** Called at each poll, at least every second. */
  polled(): void;
};

/** Smallest deviation that counts as a jump, ms. Smaller ones are corrections by time synchronisation. */
const jumpMs = 5000;

/** Detects that the wall clock was set, by comparing it with the monotonic clock. */
class ClockJumpDetector {
  readonly #clock: Clock;
  /** Last noted difference between wall clock and monotonic clock, ms. */
  #offsetMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#offsetMs = clock.now() - clock.monotonic();
  }

  /** True if the clock has jumped since the last `takeJump`. */
  get hasJumped(): boolean {
    return Math.abs(this.#deviationMs) >= jumpMs;
  }

  /** Returns by how many ms the clock was set since the last call, negative when set back; 0 for no jump. */
  takeJump(): number {
    if (!this.hasJumped) return 0;
    const byMs = this.#deviationMs;
    this.#offsetMs += byMs;
    return byMs;
  }

  get #deviationMs(): number {
    return this.#clock.now() - this.#clock.monotonic() - this.#offsetMs;
  }
}

/** Maximum time between two calls, ms, so that a jump of the wall clock is noticed soon. */
const maxWaitMs = 1000;

/** Timer for wall-clock deadlines. Calls back at the deadline or earlier, and at least every second. */
class WallClockTimer {
  readonly #clock: Clock;
  readonly #callback: () => void;
  #atMs = Number.POSITIVE_INFINITY;
  #cancel: () => void = () => {};

  constructor(clock: Clock, callback: () => void) {
    this.#clock = clock;
    this.#callback = callback;
  }

  /** Schedules one call for `dueAtMs`, Unix ms, or earlier. Replaces the previous one. */
  set(dueAtMs: number): void {
    this.cancel();
    const nowMs = this.#clock.now();
    const inMs = Math.max(1, Math.min(maxWaitMs, dueAtMs - nowMs));
    this.#atMs = nowMs + inMs;
    this.#cancel = this.#clock.after(inMs, this.#callback);
  }

  /** Same as `set`, unless the scheduled call is early enough. */
  hasten(dueAtMs: number): void {
    if (dueAtMs < this.#atMs) this.set(dueAtMs);
  }

  cancel(): void {
    this.#cancel();
  }
}

/** Submits inputs that are due by the wall clock: deadlines of objects, periods of dependencies, and clock jumps. */
export class WallClockEvents {
  readonly #options: WallClockEventsOptions;
  readonly #jumps: ClockJumpDetector;
  readonly #timer: WallClockTimer;

  constructor(options: WallClockEventsOptions) {
    this.#options = options;
    this.#jumps = new ClockJumpDetector(options.clock);
    this.#timer = new WallClockTimer(options.clock, () => this.poll());
  }

  /** Submits everything that is due now, and schedules the next poll. */
  poll(): void {
    const { clock, realm, timers, due, polled } = this.#options;
    polled();
    const nowMs = clock.now();
    for (let next = timers.take(nowMs); next !== undefined; next = timers.take(nowMs))
      due({ kind: "input", ref: next.id, input: { kind: "due" } });
    if (nextMuteEndMs(realm.program) <= nowMs) due({ kind: "mutes_due" });
    if (realm.dependencies.isDue(nowMs) || this.#jumps.hasJumped) due({ kind: "round" });
    this.#timer.set(this.#nextDueAtMs);
  }

  /** Moves the next poll forward if a deadline was added before it. */
  hasten(): void {
    this.#timer.hasten(this.#nextDueAtMs);
  }

  /** Returns by how many ms the clock was set since the last call, negative when set back; 0 for no jump. */
  takeJump(): number {
    return this.#jumps.takeJump();
  }

  /** [FR6, NO22] Objects with wall-clock times that must be shifted when the clock was set. */
  *objectsWithWallTimes(): Generator<string> {
    for (const { plan, state } of this.#options.realm.records.values()) {
      const { notificationState } = state;
      const hasTimer = notificationState !== undefined && hasPendingTimer(notificationState);
      if (hasTimer || scheduledPlanOf(plan) === undefined) yield plan.ref;
    }
  }

  stop(): void {
    this.#timer.cancel();
  }

  get #nextDueAtMs(): number {
    const { clock, timers, realm } = this.#options;
    const muteEndMs = nextMuteEndMs(realm.program);
    // An ended mute is submitted already, and waits for its round.
    const nextEndMs = muteEndMs > clock.now() ? muteEndMs : Infinity;
    return Math.min(timers.nextAt, realm.dependencies.nextPeriodChangeAtMs, nextEndMs);
  }
}
