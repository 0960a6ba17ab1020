import { spreadOf } from "../../engine/state/check-spread.ts";
import { DueTimer } from "../timers/due-timer.ts";
import { isBusy, newScheduleEntry, type ScheduleEntry } from "./schedule-entry.ts";
import { StartQueue, type StartQueueOptions } from "./start-queue.ts";
import { type CheckCalendar, periodClosedUntilMs, type NextCheck, firstCheck, nextSlot, type ScheduledPlan } from "./check-times.ts";

export type SchedulerOptions = Pick<StartQueueOptions<ScheduleEntry>, "clock" | "maxConcurrent" | "queueNameOf"> & {
  /** Asked for each time, because a reload brings another one. */
  calendar(): CheckCalendar;
  /** Whether regular checks of the object are switched on. */
  isActive(ref: string): boolean;
  /** Starts a check; whoever runs it calls `finished`. `latencyMs`: from due until now. */
  start(plan: ScheduledPlan, latencyMs: number): void;
  /** A closed period or a switch moved the next check. Wall clock, Unix ms. */
  postponed(ref: string, nextCheckAtMs: number | undefined): void;
};

/** What a closed period holds is looked at again at least this often. ms */
const relookMs = 60_000;
/** [SC4] A result this young is as good as a new look. ms */
export const freshResultMs = 15_000;

/**
 * Decides when which check runs: cadence without drift, a stable spread, retries and looks before their turn. Of those
 * whose time has come a `StartQueue` starts as many as may run at once. Due times are on the monotonic clock.
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
      due: (ref, at) => this.#fall(ref, at),
      taken: () => this.#starts.drainAll(),
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

  runningIn(lane: string): number {
    return this.#starts.runningIn(lane);
  }

  get waitingCount(): number {
    return this.#starts.waiting;
  }

  /** How late the check is that should have started longest ago, ms; 0 where none is late. */
  get lagMs(): number {
    const now = this.#options.clock.monotonic();
    return now - Math.min(now, this.#due.nextAt, this.#starts.oldestSince);
  }

  /** Takes an object in; see `firstTurn`. */
  add(plan: ScheduledPlan, kept: NextCheck | undefined): NextCheck {
    const { clock } = this.#options;
    const nowMs = clock.now();
    const { inMs, missedTurnAtMs } = firstCheck(plan, kept, nowMs);
    const missedSlot = missedTurnAtMs === undefined ? undefined : clock.monotonic() + missedTurnAtMs - nowMs;
    const known = this.#entries.get(plan.ref);
    if (known === undefined) this.#entries.set(plan.ref, newScheduleEntry(plan, missedSlot));
    else Object.assign(known, { plan, missedSlot, removed: false });
    this.#setDue(plan.ref, clock.monotonic() + inMs);
    return { nextCheckAtMs: Math.ceil(nowMs + inMs), missedTurnAtMs };
  }

  /** [SC9] The check itself is another one: it runs within a retry interval, where its turn is not sooner. */
  hasten(ref: string): number | undefined {
    const entry = this.#find(ref);
    if (entry === undefined) return undefined;
    const at = this.#options.clock.monotonic() + spreadOf(ref) * entry.plan.schedule.retryIntervalMs;
    return at < (this.#due.at(ref) ?? 0) ? this.#setDue(ref, at) : undefined;
  }

  /** Takes another definition of an object that is known; its due time stays. */
  redefine(plan: ScheduledPlan): void {
    const entry = this.#find(plan.ref);
    if (entry !== undefined) entry.plan = plan;
  }

  /** Forgets an object. The place of a check that runs is given back with its end. */
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
   * [SC2] A check of ours has ended and its result is in the state. The next regular one follows
   * `intervalMs` after this one was due; where that is past, at the next step of the same cadence.
   *
   * @param soft a problem still being confirmed: the retry may come before the regular turn
   * @returns the next due time, Unix ms; undefined where it has not moved
   */
  ended(ref: string, intervalMs: number, soft: boolean): number | undefined {
    const entry = this.#entries.get(ref);
    if (entry === undefined || !entry.running) return undefined;
    this.finished(ref);
    entry.running = false;
    const nextAtMs = entry.removed ? undefined : this.#planNext(ref, entry, { intervalMs, soft });
    if (entry.removed) this.#entries.delete(ref);
    if (entry.checkAgain) {
      entry.checkAgain = false;
      this.#ask(entry);
    }
    return nextAtMs;
  }

  /**
   * [SC13] A check of ours has come to its end; what it found may wait for the disk. Its place is free, so that others
   * keep their turns, and the object itself is not checked again before `ended`.
   */
  finished(ref: string): void {
    const entry = this.#entries.get(ref);
    if (entry !== undefined) this.#starts.release(entry);
  }

  /** A result came from outside: only a soft problem moves the next check. Answers as `ended` does. */
  resultReceived(ref: string, intervalMs: number, soft: boolean): number | undefined {
    const entry = this.#find(ref);
    if (entry === undefined || isBusy(entry) || !soft) return undefined;
    return this.#planNext(ref, entry, { intervalMs, soft });
  }

  #planNext(
    ref: string,
    entry: ScheduleEntry,
    { intervalMs, soft }: { intervalMs: number; soft: boolean },
  ): number | undefined {
    const now = this.#options.clock.monotonic();
    if (entry.startedFor !== undefined) {
      const turn = soft ? entry.startedFor : (entry.missedSlot ?? entry.startedFor);
      const next = turn + intervalMs;
      Object.assign(entry, { startedFor: undefined, missedSlot: undefined });
      return this.#setDue(ref, next > now ? next : nextSlot(next, intervalMs, now));
    }
    const regular = this.#due.at(ref) ?? Number.POSITIVE_INFINITY;
    return soft && now + intervalMs < regular ? this.#setDue(ref, now + intervalMs) : undefined;
  }

  /** [SC3] Somebody asked for a check: it runs now, or once more if one is running; the cadence stays. */
  checkNow(ref: string): void {
    const entry = this.#find(ref);
    if (entry === undefined) return;
    if (entry.running) entry.checkAgain = true;
    else this.#ask(entry);
  }

  /**
   * [SC4] A look before its turn, unless one is running or waiting. `lastCheckAtMs` tells of a result that would do:
   * where it is fresh there is no look. Undefined asks for a look whatever is known.
   */
  checkSoon(ref: string, lastCheckAtMs: number | undefined): void {
    const entry = this.#find(ref);
    if (entry === undefined || isBusy(entry) || !this.#options.isActive(ref)) return;
    const { clock } = this.#options;
    const calendar = this.#options.calendar();
    if (lastCheckAtMs !== undefined && Math.abs(clock.now() - lastCheckAtMs) < freshResultMs) return;
    const period = entry.plan.schedule.checkPeriod;
    if (period !== "" && !calendar.isOpen(period, clock.now())) return;
    this.#ask(entry);
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

  /** A regular check has come due. */
  #fall(ref: string, at: number): void {
    const entry = this.#find(ref);
    if (entry === undefined) return;
    const { clock, calendar } = this.#options;
    const when = { calendar: calendar(), nowMs: clock.now() };
    const untilMs = periodClosedUntilMs(entry.plan, entry.heldUntilMs, when);
    if (untilMs !== undefined) return this.#hold(entry, untilMs);
    entry.heldUntilMs = undefined;
    if (!this.#options.isActive(ref)) {
      const { checkIntervalMs } = entry.plan.schedule;
      const next = nextSlot(entry.missedSlot ?? at, checkIntervalMs, clock.monotonic());
      entry.missedSlot = undefined;
      return this.#options.postponed(ref, this.#setDue(ref, next));
    }
    entry.startedFor = at;
    if (!isBusy(entry)) this.#starts.enqueue(entry);
  }

  /** Looks again before the time has come: the wall clock, which a period goes by, may jump. */
  #hold(entry: ScheduleEntry, untilMs: number): void {
    const { clock, postponed } = this.#options;
    const { ref } = entry.plan;
    const inMs = Math.min(untilMs - clock.now(), relookMs);
    this.#setDue(ref, clock.monotonic() + inMs);
    if (untilMs === entry.heldUntilMs) return;
    Object.assign(entry, { heldUntilMs: untilMs, missedSlot: undefined });
    postponed(ref, untilMs === Number.POSITIVE_INFINITY ? undefined : Math.ceil(untilMs));
  }

  #ask(entry: ScheduleEntry): void {
    this.#starts.drain(this.#starts.enqueue(entry));
  }

  #start(entry: ScheduleEntry, latencyMs: number): void {
    entry.running = true;
    this.#options.start(entry.plan, latencyMs);
  }
}
