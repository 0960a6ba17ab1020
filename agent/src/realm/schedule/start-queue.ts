import type { Clock } from "@realmwatch/shared/model/clock";
import type { ScheduledPlan } from "./check-times.ts";
import { ConcurrencyQueue } from "./concurrency-queue.ts";

/** Check that waits to start or runs. The start queue alone writes `waitingSince` and `queue`. */
export type QueuedCheck = {
  readonly plan: ScheduledPlan;
  /** Due time of the waiting or running regular check, monotonic ms; undefined when no regular check waits or runs. */
  startedFor: number | undefined;
  /** Time since which the check waits to start, monotonic ms; undefined when it does not wait. */
  waitingSince: number | undefined;
  /** Queue whose capacity the running check uses; undefined when it uses none. */
  queue: ConcurrencyQueue | undefined;
};

export type StartQueueOptions<W extends QueuedCheck> = {
  readonly clock: Clock;
  /** Maximum number of checks running at once in each queue. */
  readonly maxConcurrent: number;
  /** [SC11] Name of the queue of a check. Slow checks in one queue do not delay those in another. Default: one queue. */
  queueNameOf?(plan: ScheduledPlan): string;
  /** Returns undefined if the check no longer exists. */
  find(ref: string): W | undefined;
  /** Starts a check. `latencyMs`: time since it was due; 0 for a check on request. */
  start(check: W, latencyMs: number): void;
};

/** Maximum number of starts in one batch, after which the queue yields to the event loop. */
const maxStartsPerBatch = 256;
/** Maximum duration of one batch, ms, because starting a check may be expensive. */
const maxBatchMs = 4;

/** [SC11] Concurrency queues by name, created on first use, in round-robin order. */
class ConcurrencyQueues {
  readonly #limit: number;
  readonly #queues = new Map<string, ConcurrencyQueue>();

  /** @param limit maximum number of ids running at once in each queue, at least 1 */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get running(): number {
    return this.all().reduce((count, queue) => count + queue.running, 0);
  }

  get waiting(): number {
    return this.all().reduce((count, queue) => count + queue.waiting, 0);
  }

  runningIn(name: string): number {
    return this.#queues.get(name)?.running ?? 0;
  }

  all(): readonly ConcurrencyQueue[] {
    return [...this.#queues.values()];
  }

  of(name: string): ConcurrencyQueue {
    const queue = this.#queues.get(name) ?? new ConcurrencyQueue(this.#limit);
    this.#queues.set(name, queue);
    return queue;
  }

  /** Moves the first queue to the end of the order. */
  rotate(): void {
    const [first] = this.#queues;
    if (first === undefined) return;
    this.#queues.delete(first[0]);
    this.#queues.set(...first);
  }
}

/** Starts checks in the order in which they began to wait, with a limit on how many run at once in each queue. */
export class StartQueue<W extends QueuedCheck> {
  readonly #options: StartQueueOptions<W>;
  readonly #queues: ConcurrencyQueues;
  #stopped = false;
  /** Starts made in the present batch, and the end of the batch, monotonic ms; undefined between batches. */
  #batch: { started: number; readonly endsAt: number } | undefined;

  constructor(options: StartQueueOptions<W>) {
    this.#options = options;
    this.#queues = new ConcurrencyQueues(options.maxConcurrent);
  }

  get running(): number {
    return this.#queues.running;
  }

  runningIn(queueName: string): number {
    return this.#queues.runningIn(queueName);
  }

  get waiting(): number {
    return this.#queues.waiting;
  }

  /** Time since which the longest waiting check waits, monotonic ms; Infinity if none waits. */
  get oldestSince(): number {
    let oldest = Number.POSITIVE_INFINITY;
    for (const queue of this.#queues.all()) {
      const since = this.#options.find(queue.first ?? "")?.waitingSince;
      if (since !== undefined) oldest = Math.min(oldest, since);
    }
    return oldest;
  }

  /** Adds a check unless it waits already. It starts at the earliest when the returned queue is drained. */
  enqueue(check: W): ConcurrencyQueue {
    const { clock } = this.#options;
    const queue = this.#queues.of(this.#options.queueNameOf?.(check.plan) ?? "");
    if (check.waitingSince !== undefined) return queue;
    check.waitingSince = check.startedFor ?? clock.monotonic();
    queue.push(check.plan.ref);
    return queue;
  }

  /** [SC13] Frees the capacity that a check uses, if any, and starts the next one. */
  release(check: W): void {
    const { queue } = check;
    if (queue === undefined) return;
    check.queue = undefined;
    queue.release();
    this.drain(queue);
  }

  drainAll(): void {
    for (const queue of this.#queues.all()) this.drain(queue);
  }

  /** Starts waiting checks of a queue as far as its capacity and the present batch allow. */
  drain(queue: ConcurrencyQueue): void {
    while (queue.waiting > 0 && queue.hasCapacity && !this.#stopped && this.#continueBatch()) {
      const ref = queue.shift();
      if (ref === undefined) return;
      const check = this.#options.find(ref);
      // The object was removed meanwhile, or replaced by another one of the same name that does not wait.
      if (check?.waitingSince === undefined) continue;
      check.waitingSince = undefined;
      check.queue = queue;
      if (this.#batch !== undefined) this.#batch.started += 1;
      queue.acquire();
      const now = this.#options.clock.monotonic();
      this.#options.start(check, Math.max(0, now - (check.startedFor ?? now)));
    }
  }

  /** Removes all waiting checks and starts no more. */
  stop(): void {
    this.#stopped = true;
    for (const queue of this.#queues.all()) queue.clear();
  }

  /** Begins a batch if there is none. Returns false when the present one is full, until the event loop has run. */
  #continueBatch(): boolean {
    const { clock } = this.#options;
    if (this.#batch !== undefined)
      return this.#batch.started < maxStartsPerBatch && clock.monotonic() < this.#batch.endsAt;
    this.#batch = { started: 0, endsAt: clock.monotonic() + maxBatchMs };
    clock.after(0, () => this.#nextBatch());
    return true;
  }

  /** [SC11] Each batch begins with another queue, so that a queue that is always full leaves the others their share. */
  #nextBatch(): void {
    this.#batch = undefined;
    this.drainAll();
    this.#queues.rotate();
  }
}
