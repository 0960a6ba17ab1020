import type { Clock } from "@realmwatch/shared/model/clock";
import { hasPendingTimer } from "../../engine/notify/notification-state.ts";
import type { LoopInput } from "../loop/loop-input.ts";
import { scheduledPlanOf } from "../schedule/check-times.ts";
import { nextMuteEndMs } from "../state/contact-mutes.ts";
import type { DependencyTracker } from "../state/dependency-tracker.ts";
import type { RealmReader } from "../state/realm-reader.ts";
import { ClockJumpDetector } from "./clock-jump-detector.ts";
import type { DueQueue } from "./due-queue.ts";
import { WallClockTimer } from "./wall-clock-timer.ts";

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
