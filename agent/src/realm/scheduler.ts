import type { Clock } from "@realmwatch/shared/words/clock";
import { spreadOf } from "../engine/spread.ts";
import { DueQueue } from "./due-queue.ts";
import type { Lane } from "./lane.ts";
import { Lanes } from "./lanes.ts";
import { type CheckCalendar, closedUntilMs, type DueTurn, firstTurn, nextTurn, type Scheduled } from "./turns.ts";

export type SchedulerOptions = {
  readonly clock: Clock;
  /** Asked for each time, because a reload brings another one. */
  calendar(): CheckCalendar;
  /** Checks running at the same time, in each lane. */
  readonly maxConcurrent: number;
  /** [SC11] Which checks share places and a queue: what is slow in one lane makes no other late. Default: all. */
  lane?(plan: Scheduled): string;
  /** Whether regular checks of the object are switched on. */
  isActive(ref: string): boolean;
  /** Starts a check; whoever runs it calls `finished`. `latencyMs`: from due until now. */
  start(plan: Scheduled, latencyMs: number): void;
  /** A closed period or a switch moved the next check. Wall clock, Unix ms. */
  postponed(ref: string, nextCheckAtMs: number | undefined): void;
};

type Entry = {
  plan: Scheduled;
  /** The due time that the running regular check was started for; undefined while none of these runs. */
  startedFor: number | undefined;
  /** [SC14] The turn that the next or the running regular check makes up for, monotonic ms. */
  missedTurn: number | undefined;
  /** From its start until its result is in the state: once at a time. */
  running: boolean;
  /** The lane it has a place in; undefined while it needs none. */
  place: Lane | undefined;
  /** Asked for while running: once more when it ends. */
  again: boolean;
  /** When it came due or was asked for, monotonic ms; undefined while it does not wait for a place. */
  waitingSince: number | undefined;
  /** Until when a closed period was last found to hold it, wall clock; undefined where none does. */
  heldUntilMs: number | undefined;
  /** Removed while its check ran: it goes with the check's end. */
  gone: boolean;
};

/** Taken up, and started, in one go before others get the thread. */
const burst = 256;
/** A go ends after so long too: a check may be dear to start. ms */
const goMs = 4;
/** What a closed period holds is looked at again at least this often. ms */
const relookMs = 60_000;
/** [SC4] A result this young is as good as a new look. ms */
export const horizonMs = 15_000;

/**
 * Decides when which check runs: cadence without drift, a stable spread, retries, looks before their
 * turn, and a bound on what runs at once (who has waited longest goes first).
 * Due times are on the monotonic clock.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #due = new DueQueue();
  readonly #lanes: Lanes;
  #cancelTimer: () => void = () => {};
  #timerAt = Number.POSITIVE_INFINITY;
  #stopped = false;
  /** What the go under way has started, and when it ends, monotonic ms; undefined between two of them. */
  #go: { started: number; readonly endsAt: number } | undefined;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#lanes = new Lanes(options.maxConcurrent);
  }

  get runningCount(): number {
    return this.#lanes.running;
  }

  runningIn(lane: string): number {
    return this.#lanes.runningIn(lane);
  }

  get waitingCount(): number {
    return this.#lanes.waiting;
  }

  /** How late the check is that should have started longest ago, ms; 0 where none is late. */
  get lagMs(): number {
    const now = this.#options.clock.monotonic();
    let oldest = Math.min(now, this.#due.nextAt);
    for (const lane of this.#lanes.all()) {
      const since = this.#entries.get(lane.first ?? "")?.waitingSince;
      if (since !== undefined) oldest = Math.min(oldest, since);
    }
    return now - oldest;
  }

  /** Takes an object in; see `firstTurn`. */
  add(plan: Scheduled, kept: DueTurn | undefined): DueTurn {
    const { clock } = this.#options;
    const nowMs = clock.now();
    const { inMs, missedTurnAtMs } = firstTurn(plan, kept, nowMs);
    const missedTurn = missedTurnAtMs === undefined ? undefined : clock.monotonic() + missedTurnAtMs - nowMs;
    const known = this.#entries.get(plan.ref);
    if (known === undefined)
      this.#entries.set(plan.ref, {
        plan,
        startedFor: undefined,
        missedTurn,
        running: false,
        place: undefined,
        again: false,
        waitingSince: undefined,
        heldUntilMs: undefined,
        gone: false,
      });
    else Object.assign(known, { plan, missedTurn, gone: false });
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
  redefine(plan: Scheduled): void {
    const entry = this.#find(plan.ref);
    if (entry !== undefined) entry.plan = plan;
  }

  /** Forgets an object. The place of a check that runs is given back with its end. */
  remove(ref: string): void {
    this.#due.delete(ref);
    const entry = this.#entries.get(ref);
    if (entry === undefined || !entry.running) this.#entries.delete(ref);
    else Object.assign(entry, { gone: true, again: false, startedFor: undefined });
  }

  #find(ref: string): Entry | undefined {
    const entry = this.#entries.get(ref);
    return entry === undefined || entry.gone ? undefined : entry;
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
    const nextAtMs = entry.gone ? undefined : this.#planNext(ref, entry, { intervalMs, soft });
    if (entry.gone) this.#entries.delete(ref);
    if (entry.again) {
      entry.again = false;
      this.#drain(this.#enqueue(ref, entry));
    }
    return nextAtMs;
  }

  /**
   * [SC13] A check of ours has come to its end; what it found may wait for the disk. Its place is free, so that others
   * keep their turns, and the object itself is not checked again before `ended`.
   */
  finished(ref: string): void {
    const entry = this.#entries.get(ref);
    const lane = entry?.place;
    if (entry === undefined || lane === undefined) return;
    entry.place = undefined;
    lane.leave();
    this.#drain(lane);
  }

  /** A result came from outside: only a soft problem moves the next check. Answers as `ended` does. */
  heard(ref: string, intervalMs: number, soft: boolean): number | undefined {
    const entry = this.#find(ref);
    if (entry === undefined || isBusy(entry) || !soft) return undefined;
    return this.#planNext(ref, entry, { intervalMs, soft });
  }

  #planNext(
    ref: string,
    entry: Entry,
    { intervalMs, soft }: { intervalMs: number; soft: boolean },
  ): number | undefined {
    const now = this.#options.clock.monotonic();
    if (entry.startedFor !== undefined) {
      const turn = soft ? entry.startedFor : (entry.missedTurn ?? entry.startedFor);
      const next = turn + intervalMs;
      Object.assign(entry, { startedFor: undefined, missedTurn: undefined });
      return this.#setDue(ref, next > now ? next : nextTurn(next, intervalMs, now));
    }
    const regular = this.#due.at(ref) ?? Number.POSITIVE_INFINITY;
    return soft && now + intervalMs < regular ? this.#setDue(ref, now + intervalMs) : undefined;
  }

  /** [SC3] Somebody asked for a check: it runs now, or once more if one is running; the cadence stays. */
  checkNow(ref: string): void {
    const entry = this.#find(ref);
    if (entry === undefined) return;
    if (entry.running) entry.again = true;
    else this.#drain(this.#enqueue(ref, entry));
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
    if (lastCheckAtMs !== undefined && Math.abs(clock.now() - lastCheckAtMs) < horizonMs) return;
    const period = entry.plan.schedule.checkPeriod;
    if (period !== "" && !calendar.isOpen(period, clock.now())) return;
    this.#drain(this.#enqueue(ref, entry));
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelTimer();
    for (const lane of this.#lanes.all()) lane.clear();
  }

  #setDue(ref: string, at: number): number {
    this.#due.set(ref, at);
    this.#arm();
    const { clock } = this.#options;
    return Math.ceil(clock.now() + at - clock.monotonic());
  }

  #arm(): void {
    const at = this.#due.nextAt;
    if (this.#stopped || at >= this.#timerAt) return;
    this.#cancelTimer();
    this.#timerAt = at;
    this.#cancelTimer = this.#options.clock.after(Math.max(0, at - this.#options.clock.monotonic()), () =>
      this.#tick(),
    );
  }

  #tick(): void {
    this.#timerAt = Number.POSITIVE_INFINITY;
    const now = this.#options.clock.monotonic();
    for (let n = 0; n < burst; n += 1) {
      const due = this.#due.take(now);
      if (due === undefined) break;
      this.#fall(due.id, due.at);
    }
    for (const lane of this.#lanes.all()) this.#drain(lane);
    this.#arm();
  }

  /** A regular check has come due. */
  #fall(ref: string, at: number): void {
    const entry = this.#find(ref);
    if (entry === undefined) return;
    const { clock, calendar } = this.#options;
    const when = { calendar: calendar(), nowMs: clock.now() };
    const untilMs = closedUntilMs(entry.plan, entry.heldUntilMs, when);
    if (untilMs !== undefined) return this.#hold(entry, untilMs);
    entry.heldUntilMs = undefined;
    if (!this.#options.isActive(ref)) {
      const { checkIntervalMs } = entry.plan.schedule;
      const next = nextTurn(entry.missedTurn ?? at, checkIntervalMs, clock.monotonic());
      entry.missedTurn = undefined;
      return this.#options.postponed(ref, this.#setDue(ref, next));
    }
    entry.startedFor = at;
    if (!isBusy(entry)) this.#enqueue(ref, entry);
  }

  /** Looks again before the time has come: the wall clock, which a period goes by, may jump. */
  #hold(entry: Entry, untilMs: number): void {
    const { clock, postponed } = this.#options;
    const { ref } = entry.plan;
    const inMs = Math.min(untilMs - clock.now(), relookMs);
    this.#setDue(ref, clock.monotonic() + inMs);
    if (untilMs === entry.heldUntilMs) return;
    Object.assign(entry, { heldUntilMs: untilMs, missedTurn: undefined });
    postponed(ref, untilMs === Number.POSITIVE_INFINITY ? undefined : Math.ceil(untilMs));
  }

  #enqueue(ref: string, entry: Entry): Lane {
    const lane = this.#lanes.of(this.#options.lane?.(entry.plan) ?? "");
    if (entry.waitingSince !== undefined) return lane;
    entry.waitingSince = entry.startedFor ?? this.#options.clock.monotonic();
    lane.push(ref);
    return lane;
  }

  /** Whoever asks for however many checks at once, their starts leave the thread to others in between. */
  #mayGoOn(): boolean {
    const { clock } = this.#options;
    if (this.#go !== undefined) return this.#go.started < burst && clock.monotonic() < this.#go.endsAt;
    this.#go = { started: 0, endsAt: clock.monotonic() + goMs };
    clock.after(0, () => this.#nextGo());
    return true;
  }

  /** [SC11] Each lane comes first in its turn: one that always has something to start leaves the others their share. */
  #nextGo(): void {
    this.#go = undefined;
    for (const lane of this.#lanes.all()) this.#drain(lane);
    this.#lanes.turn();
  }

  #drain(lane: Lane): void {
    while (lane.waiting > 0 && lane.hasPlace && !this.#stopped && this.#mayGoOn()) {
      const ref = lane.shift();
      if (ref === undefined) return;
      const entry = this.#find(ref);
      // Gone since, or another one by the same name that does not wait.
      if (entry?.waitingSince === undefined) continue;
      entry.waitingSince = undefined;
      Object.assign(entry, { running: true, place: lane });
      if (this.#go !== undefined) this.#go.started += 1;
      lane.enter();
      const now = this.#options.clock.monotonic();
      this.#options.start(entry.plan, Math.max(0, now - (entry.startedFor ?? now)));
    }
  }
}

const isBusy = ({ running, waitingSince }: Entry): boolean => running || waitingSince !== undefined;
