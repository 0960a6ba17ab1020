import type { Clock } from "@realmwatch/shared/model/clock";
import { hasPendingTimer } from "../../engine/notify/notification-state.ts";
import type { DueQueue } from "./due-queue.ts";
import type { RealmState } from "../state/realm-state.ts";
import type { LoopInput } from "../loop/loop-input.ts";
import { scheduledPlanOf } from "../schedule/check-times.ts";
import { WallClockTimer } from "./wall-clock-timer.ts";
import { ClockJumpDetector } from "./clock-jump-detector.ts";

export type WallClockEventsOptions = {
  readonly clock: Clock;
  readonly realm: RealmState;
  /** When time alone could change an object, on the wall clock. */
  readonly timers: DueQueue;
  /** Something has come due. */
  due(input: LoopInput): void;
  /** The clock was looked at, which happens at least every second. */
  looked(): void;
};

/** What the wall clock brings about: downtimes, expiries, silence and dependencies come due, and somebody may set it. */
export class WallClockEvents {
  readonly #options: WallClockEventsOptions;
  readonly #watch: ClockJumpDetector;
  readonly #alarm: WallClockTimer;

  constructor(options: WallClockEventsOptions) {
    this.#options = options;
    this.#watch = new ClockJumpDetector(options.clock);
    this.#alarm = new WallClockTimer(options.clock, () => this.poll());
  }

  /** Tells what is due by now, and looks again when more is. */
  poll(): void {
    const { clock, realm, timers, due, looked } = this.#options;
    looked();
    const nowMs = clock.now();
    for (let next = timers.take(nowMs); next !== undefined; next = timers.take(nowMs))
      due({ kind: "input", ref: next.id, input: { kind: "due" } });
    if (realm.dependencies.isDue(nowMs) || this.#watch.hasJumped) due({ kind: "round" });
    this.#alarm.set(this.#nextDueAtMs);
  }

  /** Something may come due earlier than it was when the clock was last looked at. */
  hasten(): void {
    this.#alarm.hasten(this.#nextDueAtMs);
  }

  /** Answers by how much the clock was set since this was last asked, ms, back where negative; 0 where it was not. */
  takeJump(): number {
    return this.#watch.takeJump();
  }

  /** [FR6, NO22] Objects that have instants of the wall clock to move when it was set. */
  *objectsWithWallTimes(): Generator<string> {
    for (const { plan, state } of this.#options.realm.records.values()) {
      const waits = state.notificationState !== undefined && hasPendingTimer(state.notificationState);
      if (waits || scheduledPlanOf(plan) === undefined) yield plan.ref;
    }
  }

  stop(): void {
    this.#alarm.cancel();
  }

  get #nextDueAtMs(): number {
    const { timers, realm } = this.#options;
    return Math.min(timers.nextAt, realm.dependencies.nextPeriodChangeAtMs);
  }
}
