import type { Clock } from "@realmwatch/shared/model/clock";
import type { ConcurrencyQueue } from "./concurrency-queue.ts";
import { ConcurrencyQueues } from "./concurrency-queues.ts";
import type { ScheduledPlan } from "./check-times.ts";

/** Whose check waits for a place, or has one; `waitingSince` and `place` are the queue's to write. */
export type QueuedCheck = {
  readonly plan: ScheduledPlan;
  /** The due time that its regular check was started for, monotonic ms; undefined while none of these waits or runs. */
  startedFor: number | undefined;
  /** When it came due or was asked for, monotonic ms; undefined while it does not wait for a place. */
  waitingSince: number | undefined;
  /** The lane it has a place in; undefined while it needs none. */
  queue: ConcurrencyQueue | undefined;
};

export type StartQueueOptions<W extends QueuedCheck> = {
  readonly clock: Clock;
  /** Checks running at the same time, in each lane. */
  readonly maxConcurrent: number;
  /** [SC11] Which checks share places and a queue: what is slow in one lane makes no other late. Default: all. */
  queueNameOf?(plan: ScheduledPlan): string;
  /** Undefined where it is there no more. */
  find(ref: string): W | undefined;
  /** Has its place and begins. `latencyMs`: from due until now; 0 for one that was asked for. */
  start(waiter: W, latencyMs: number): void;
};

/** Started in one go before others get the thread. */
const startBurst = 256;
/** A go ends after so long too: a check may be dear to start. ms */
const goMs = 4;

/** Who starts next: a bound on what runs at once in each lane; there, who has waited longest goes first. */
export class StartQueue<W extends QueuedCheck> {
  readonly #options: StartQueueOptions<W>;
  readonly #lanes: ConcurrencyQueues;
  #stopped = false;
  /** What the go under way has started, and when it ends, monotonic ms; undefined between two of them. */
  #go: { started: number; readonly endsAt: number } | undefined;

  constructor(options: StartQueueOptions<W>) {
    this.#options = options;
    this.#lanes = new ConcurrencyQueues(options.maxConcurrent);
  }

  get running(): number {
    return this.#lanes.running;
  }

  runningIn(lane: string): number {
    return this.#lanes.runningIn(lane);
  }

  get waiting(): number {
    return this.#lanes.waiting;
  }

  /** Since when the first of a lane has waited longest, monotonic ms; Infinity where none waits. */
  get oldestSince(): number {
    let oldest = Number.POSITIVE_INFINITY;
    for (const lane of this.#lanes.all()) {
      const since = this.#options.find(lane.first ?? "")?.waitingSince;
      if (since !== undefined) oldest = Math.min(oldest, since);
    }
    return oldest;
  }

  /** Has it wait for a place, unless it does. It starts with the next `drain` of the lane that is answered, at best. */
  enqueue(waiter: W): ConcurrencyQueue {
    const { clock } = this.#options;
    const lane = this.#lanes.of(this.#options.queueNameOf?.(waiter.plan) ?? "");
    if (waiter.waitingSince !== undefined) return lane;
    waiter.waitingSince = waiter.startedFor ?? clock.monotonic();
    lane.push(waiter.plan.ref);
    return lane;
  }

  /** [SC13] Gives its place, where it has one, to whoever waits for it. */
  release(waiter: W): void {
    const lane = waiter.queue;
    if (lane === undefined) return;
    waiter.queue = undefined;
    lane.release();
    this.drain(lane);
  }

  drainAll(): void {
    for (const lane of this.#lanes.all()) this.drain(lane);
  }

  /** Starts whoever waits in `lane` and finds a place, as many as one go may start. */
  drain(lane: ConcurrencyQueue): void {
    while (lane.waiting > 0 && lane.hasCapacity && !this.#stopped && this.#mayGoOn()) {
      const ref = lane.shift();
      if (ref === undefined) return;
      const waiter = this.#options.find(ref);
      // Gone since, or another one by the same name that does not wait.
      if (waiter?.waitingSince === undefined) continue;
      waiter.waitingSince = undefined;
      waiter.queue = lane;
      if (this.#go !== undefined) this.#go.started += 1;
      lane.acquire();
      const now = this.#options.clock.monotonic();
      this.#options.start(waiter, Math.max(0, now - (waiter.startedFor ?? now)));
    }
  }

  /** Sends away whoever waits, and starts nobody any more. */
  stop(): void {
    this.#stopped = true;
    for (const lane of this.#lanes.all()) lane.clear();
  }

  /** Whoever asks for however many checks at once, their starts leave the thread to others in between. */
  #mayGoOn(): boolean {
    const { clock } = this.#options;
    if (this.#go !== undefined) return this.#go.started < startBurst && clock.monotonic() < this.#go.endsAt;
    this.#go = { started: 0, endsAt: clock.monotonic() + goMs };
    clock.after(0, () => this.#nextGo());
    return true;
  }

  /** [SC11] Each lane comes first in its turn: one that always has something to start leaves the others their share. */
  #nextGo(): void {
    this.#go = undefined;
    this.drainAll();
    this.#lanes.rotate();
  }
}
