import { spreadOf } from "../../engine/state/check-spread.ts";
import { DueTimer } from "../timers/due-timer.ts";
import {
  type CheckCalendar,
  firstCheck,
  type NextCheck,
  nextSlot,
  periodClosedUntilMs,
  type ScheduledPlan,
} from "./check-times.ts";
import { isBusy, newScheduleEntry, type ScheduleEntry } from "./schedule-entry.ts";
import { StartQueue, type StartQueueOptions } from "./start-queue.ts";

export type SchedulerOptions = Pick<StartQueueOptions<ScheduleEntry>, "clock" | "maxConcurrent" | "queueNameOf"> & {
  /** Returns the present calendar; a reload replaces it. */
  calendar(): CheckCalendar;
  /** True if regular checks of the object are on. */
  isActive(ref: string): boolean;
  /** Starts a check and calls `finished` at its end. `latencyMs`: time since it was due. */
  start(plan: ScheduledPlan, latencyMs: number, finished: () => void): void;
  /** Reports that a closed period or a toggle moved the next check. Unix ms; undefined for never. */
  postponed(ref: string, nextCheckAtMs: number | undefined): void;
};

/** Longest interval at which the closed period of a check is evaluated again, ms. */
const periodPollMs = 60_000;
/** [SC4] Age below which a result makes an on-demand check unnecessary, ms. */
export const freshResultMs = 15_000;

/**
 * Check scheduler: decides when each check runs, in fixed intervals without drift, with a stable spread, retries and
 * on-demand checks. Due checks pass through a `StartQueue`, which bounds how many run at once. Due times are on the
 * monotonic clock.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #entries = new Map<string, ScheduleEntry>();
  readonly #due: DueTimer;
  readonly #starts: StartQueue<ScheduleEntry>;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#due = new DueTimer({
      clock: options.clock,
      due: (ref, at) => this.#regularCheckDue(ref, at),
      batchDone: () => this.#starts.drainAll(),
    });
    this.#starts = new StartQueue({
      ...options,
      find: (ref) => this.#find(ref),
      start: (entry, latencyMs) => this.#start(entry, latencyMs),
    });
  }

  get runningCount(): number {
    return this.#starts.running;
  }

  runningIn(queueName: string): number {
    return this.#starts.runningIn(queueName);
  }

  get waitingCount(): number {
    return this.#starts.waiting;
  }

  /** Lateness of the check that is most overdue, ms; 0 if none is. */
  get lagMs(): number {
    const now = this.#options.clock.monotonic();
    return now - Math.min(now, this.#due.nextAt, this.#starts.oldestSince);
  }

  /** Adds an object and returns the time of its next check; see `firstCheck`. */
  add(plan: ScheduledPlan, stored: NextCheck | undefined): NextCheck {
    const { clock } = this.#options;
    const nowMs = clock.now();
    const { inMs, missedTurnAtMs } = firstCheck(plan, stored, nowMs);
    const missedSlot = missedTurnAtMs === undefined ? undefined : clock.monotonic() + missedTurnAtMs - nowMs;
    const known = this.#entries.get(plan.ref);
    if (known === undefined) this.#entries.set(plan.ref, newScheduleEntry(plan, missedSlot));
    else Object.assign(known, { plan, missedSlot, removed: false });
    this.#setDue(plan.ref, clock.monotonic() + inMs);
    return { nextCheckAtMs: Math.ceil(nowMs + inMs), missedTurnAtMs };
  }

  /** [SC9] Moves the next check of a changed check definition to within a retry interval, unless it is due sooner. */
  hasten(ref: string): number | undefined {
    const entry = this.#find(ref);
    if (entry === undefined) return undefined;
    const at = this.#options.clock.monotonic() + spreadOf(ref) * entry.plan.schedule.retryIntervalMs;
    return at < (this.#due.at(ref) ?? 0) ? this.#setDue(ref, at) : undefined;
  }

  /** Replaces the definition of a scheduled object; its due time stays. */
  redefine(plan: ScheduledPlan): void {
    const entry = this.#find(plan.ref);
    if (entry !== undefined) entry.plan = plan;
  }

  /** Removes an object. The slot of a running check is freed at its end. */
  remove(ref: string): void {
    this.#due.delete(ref);
    const entry = this.#entries.get(ref);
    if (entry === undefined || !entry.running) this.#entries.delete(ref);
    else Object.assign(entry, { removed: true, checkAgain: false, startedFor: undefined });
  }

  #find(ref: string): ScheduleEntry | undefined {
    const entry = this.#entries.get(ref);
    return entry === undefined || entry.removed ? undefined : entry;
  }

  /**
   * [SC2] Schedules the next check after an active check whose result is in the state: `intervalMs` after the time for
   * which this one was due or, if that is past, at the next time slot of the same cadence.
   *
   * @param soft true during a soft problem: the retry may come before the regular slot
   * @returns the next due time, Unix ms; undefined if it did not move
   */
  ended(ref: string, intervalMs: number, soft: boolean): number | undefined {
    const entry = this.#entries.get(ref);
    if (entry === undefined || !entry.running) return undefined;
    this.finished(ref);
    entry.running = false;
    const nextAtMs = entry.removed ? undefined : this.#scheduleNext(ref, entry, { intervalMs, soft });
    if (entry.removed) this.#entries.delete(ref);
    if (entry.checkAgain) {
      entry.checkAgain = false;
      this.#enqueue(entry);
    }
    return nextAtMs;
  }

  /**
   * [SC13] Frees the slot of a check that has ended, although its result may still wait for the disk. Other checks can
   * start; the object itself is not checked again before `ended`.
   */
  finished(ref: string): void {
    const entry = this.#entries.get(ref);
    if (entry !== undefined) this.#starts.release(entry);
  }

  /** Schedules the next check after a submitted result, which matters during a soft problem only. Returns as `ended`. */
  resultReceived(ref: string, intervalMs: number, soft: boolean): number | undefined {
    const entry = this.#find(ref);
    if (entry === undefined || isBusy(entry) || !soft) return undefined;
    return this.#scheduleNext(ref, entry, { intervalMs, soft });
  }

  #scheduleNext(
    ref: string,
    entry: ScheduleEntry,
    { intervalMs, soft }: { intervalMs: number; soft: boolean },
  ): number | undefined {
    const now = this.#options.clock.monotonic();
    if (entry.startedFor !== undefined) {
      const slot = soft ? entry.startedFor : (entry.missedSlot ?? entry.startedFor);
      const next = slot + intervalMs;
      Object.assign(entry, { startedFor: undefined, missedSlot: undefined });
      return this.#setDue(ref, next > now ? next : nextSlot(next, intervalMs, now));
    }
    const regular = this.#due.at(ref) ?? Number.POSITIVE_INFINITY;
    return soft && now + intervalMs < regular ? this.#setDue(ref, now + intervalMs) : undefined;
  }

  /** [SC3] Runs a requested check now, or once more if one is running. The regular due time stays. */
  checkNow(ref: string): void {
    const entry = this.#find(ref);
    if (entry === undefined) return;
    if (entry.running) entry.checkAgain = true;
    else this.#enqueue(entry);
  }

  /**
   * [SC4] Runs an on-demand check, unless a check is running or waiting, or the last one is fresh.
   *
   * @param lastCheckAtMs time of the last check, Unix ms; undefined to run the check however fresh that is
   */
  checkSoon(ref: string, lastCheckAtMs: number | undefined): void {
    const entry = this.#find(ref);
    if (entry === undefined || isBusy(entry) || !this.#options.isActive(ref)) return;
    const { clock } = this.#options;
    const calendar = this.#options.calendar();
    if (lastCheckAtMs !== undefined && Math.abs(clock.now() - lastCheckAtMs) < freshResultMs) return;
    const period = entry.plan.schedule.checkPeriod;
    if (period !== "" && !calendar.isOpen(period, clock.now())) return;
    this.#enqueue(entry);
  }

  stop(): void {
    this.#due.stop();
    this.#starts.stop();
  }

  #setDue(ref: string, at: number): number {
    this.#due.set(ref, at);
    const { clock } = this.#options;
    return Math.ceil(clock.now() + at - clock.monotonic());
  }

  #regularCheckDue(ref: string, at: number): void {
    const entry = this.#find(ref);
    if (entry === undefined) return;
    const { clock, calendar } = this.#options;
    const when = { calendar: calendar(), nowMs: clock.now() };
    const untilMs = periodClosedUntilMs(entry.plan, entry.closedUntilMs, when);
    if (untilMs !== undefined) return this.#waitForPeriod(entry, untilMs);
    entry.closedUntilMs = undefined;
    if (!this.#options.isActive(ref)) {
      const { checkIntervalMs } = entry.plan.schedule;
      const next = nextSlot(entry.missedSlot ?? at, checkIntervalMs, clock.monotonic());
      entry.missedSlot = undefined;
      return this.#options.postponed(ref, this.#setDue(ref, next));
    }
    entry.startedFor = at;
    if (!isBusy(entry)) this.#starts.enqueue(entry);
  }

  /** Checks the period again at intervals, because the wall clock that it is based on may jump. */
  #waitForPeriod(entry: ScheduleEntry, untilMs: number): void {
    const { clock, postponed } = this.#options;
    const { ref } = entry.plan;
    const inMs = Math.min(untilMs - clock.now(), periodPollMs);
    this.#setDue(ref, clock.monotonic() + inMs);
    if (untilMs === entry.closedUntilMs) return;
    Object.assign(entry, { closedUntilMs: untilMs, missedSlot: undefined });
    postponed(ref, untilMs === Number.POSITIVE_INFINITY ? undefined : Math.ceil(untilMs));
  }

  #enqueue(entry: ScheduleEntry): void {
    this.#starts.drain(this.#starts.enqueue(entry));
  }

  #start(entry: ScheduleEntry, latencyMs: number): void {
    entry.running = true;
    this.#options.start(entry.plan, latencyMs, () => this.#starts.release(entry));
  }
}
