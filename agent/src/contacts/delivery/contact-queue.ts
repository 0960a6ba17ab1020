import type { Clock } from "@realmwatch/shared/model/clock";
import { never } from "@realmwatch/shared/model/never";
import { refOf } from "@realmwatch/shared/model/object-key";
import type { RandomSource } from "@realmwatch/shared/platform/random";
import { type AttemptResult, type AttemptFailure, type RetryableFailure, retry } from "../attempt-result.ts";
import type { ContactMessage } from "../contact-message.ts";
import type { Handling } from "../contact-type.ts";
import { backoffMs } from "./backoff.ts";
import { ObjectQueues } from "./object-queues.ts";

/** How long a message that cannot be delivered is tried again, ms. */
const retryForMs = 3_600_000;
/** So many messages in a row that fail show that it is not they. */
const manyFailures = 3;

/** The longest that a receiver's wish keeps everything from it, ms: nobody may silence a contact for days. */
const longestPauseMs = 600_000;

/** Failures that concern whoever is told and not what is said: nothing else would get through either. */
const concernsReceiver: ReadonlySet<AttemptFailure> = new Set(["connect", "dns", "tls", "rate_limited"]);

type Job = {
  readonly message: ContactMessage;
  readonly refs: readonly string[];
  readonly addedAtMs: number;
  /** Of attempts that failed. */
  failures: number;
  firstFailedAtMs: number | undefined;
  state: "waiting" | "free" | "sending" | "resting";
};

export type ContactQueueOptions = {
  readonly clock: Clock;
  readonly chance: RandomSource;
  /** Asked before each attempt. */
  handling(): Handling;
  /** One attempt. Never rejects. */
  send(message: ContactMessage, signal: AbortSignal): Promise<AttemptResult>;
  /**
   * Called once for each message, save for those that `close` leaves. `detail` is empty where it was delivered. Resolves
   * when that will survive a crash.
   */
  ended(message: ContactMessage, outcome: "delivered" | "failed", detail: string): Promise<void>;
  attempted(attempt: AttemptResult, tookMs: number): void;
};

/**
 * The messages of one contact on their way: one at a time, in order for each object, each tried again until it is
 * delivered, refused or an hour old. [DL18] The next one leaves when the end of the one before will survive a crash: so
 * a crash makes a contact hear no more than one message twice. While the receiver as a whole is in trouble nothing
 * hammers at it.
 */
export class ContactQueue {
  readonly #options: ContactQueueOptions;
  readonly #lanes = new ObjectQueues<Job>();
  /** Whose turn it is; those that were tried before come first. */
  readonly #again = new Set<Job>();
  readonly #fresh = new Set<Job>();
  readonly #stopping = new AbortController();
  readonly #cancels = new Set<() => void>();
  #sending = 0;
  /** Messages that failed since something got through. */
  readonly #failedInRow = new Set<Job>();
  #trouble: { readonly failures: number; readonly reason: AttemptFailure; paused: boolean } | undefined;
  #cancelPause = (): void => {};
  #lastSuccessAtMs = Number.NEGATIVE_INFINITY;
  #closed = false;
  /** Why nothing is tried again. */
  #giveUpDetail: string | undefined;
  #idle: (() => void)[] = [];

  constructor(options: ContactQueueOptions) {
    this.#options = options;
  }

  get sending(): number {
    return this.#sending;
  }

  /** Why nothing gets through; `undefined` while it does. */
  get failing(): AttemptFailure | undefined {
    return this.#trouble?.reason;
  }

  add(message: ContactMessage): void {
    if (this.#closed) return;
    const refs = [...new Set(message.notifications.map(({ key }) => refOf(key)))];
    const addedAtMs = this.#options.clock.monotonic();
    const job: Job = { message, refs, addedAtMs, failures: 0, firstFailedAtMs: undefined, state: "waiting" };
    if (this.#lanes.add(job)) this.#free(job);
    this.#pump();
  }

  /** Ends at once what is not being sent. What is being sent ends by itself, and is not tried again. */
  failPending(detail: string): void {
    this.#retire();
    for (const job of [...this.#lanes.all()]) if (job.state !== "sending") void this.#end(job, "failed", detail);
    this.#giveUpDetail = detail;
  }
  /** Forgets what went wrong before: something was changed that may have mended it. */
  retryNow(): void {
    this.#cancelPause();
    this.#trouble = undefined;
    this.#failedInRow.clear();
    this.#pump();
  }

  /**
   * Starts nothing any more and waits for what is on its way, which is broken off after `graceMs`. What did not end
   * stays without an end.
   */
  close(graceMs: number): Promise<void> {
    this.#retire();
    if (this.#sending === 0) return Promise.resolve();
    const cancel = this.#options.clock.after(graceMs, () => this.#stopping.abort());
    return new Promise<void>((resolve) => this.#idle.push(resolve)).finally(cancel);
  }

  #retire(): void {
    this.#closed = true;
    this.#cancelPause();
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
  }

  #free(job: Job): void {
    job.state = "free";
    (job.failures > 0 ? this.#again : this.#fresh).add(job);
  }

  #pump(): void {
    while (!this.#closed && this.#sending === 0 && this.#trouble?.paused !== true) {
      const job = this.#again.values().next().value ?? this.#fresh.values().next().value;
      if (job === undefined) return;
      this.#again.delete(job);
      this.#fresh.delete(job);
      void this.#attempt(job);
    }
  }

  async #attempt(job: Job): Promise<void> {
    const { clock } = this.#options;
    job.state = "sending";
    this.#sending += 1;
    const startedMs = clock.monotonic();
    const attempt = await this.#sendInTime(job.message);
    if (attempt !== undefined) {
      this.#options.attempted(attempt, clock.monotonic() - startedMs);
      await this.#judge(job, attempt);
    }
    this.#sending -= 1;
    if (this.#sending === 0) for (const resolve of this.#idle.splice(0)) resolve();
    this.#pump();
  }

  /** `undefined` where the queue was closed meanwhile: whether it arrived is not known. */
  #sendInTime(message: ContactMessage): Promise<AttemptResult | undefined> {
    const { clock, send } = this.#options;
    const { deadlineMs } = this.#options.handling();
    const deadline = new AbortController();
    return new Promise((resolve) => {
      const finish = (attempt: AttemptResult | undefined): void => {
        cancelTimer();
        this.#stopping.signal.removeEventListener("abort", stop);
        resolve(attempt);
        deadline.abort();
      };
      const stop = (): void => finish(undefined);
      const cancelTimer = clock.after(deadlineMs, () =>
        finish(retry("timeout", `no answer within ${deadlineMs / 1_000} s`)),
      );
      this.#stopping.signal.addEventListener("abort", stop);
      send(message, deadline.signal).then(finish, () => finish(retry("server", "sending it failed unexpectedly")));
    });
  }

  #judge(job: Job, attempt: AttemptResult): Promise<void> | undefined {
    switch (attempt.kind) {
      case "delivered":
        this.#works();
        return this.#end(job, "delivered", "");
      case "rejected":
        this.#works();
        return this.#end(job, "failed", attempt.detail);
      case "retry":
        return this.#failed(job, attempt);
      default:
        return never(attempt);
    }
  }

  /** The receiver answered. */
  #works(): void {
    this.#lastSuccessAtMs = this.#options.clock.monotonic();
    this.#failedInRow.clear();
    if (this.#trouble !== undefined) this.#cancelPause();
    this.#trouble = undefined;
  }

  #failed(job: Job, attempt: RetryableFailure): Promise<void> | undefined {
    const { clock, chance } = this.#options;
    const nowMs = clock.monotonic();
    job.failures += 1;
    job.firstFailedAtMs ??= nowMs;
    this.#failedInRow.add(job);
    if (this.#giveUpDetail !== undefined) return this.#end(job, "failed", this.#giveUpDetail);
    if (this.#closed) return undefined;
    const waitMs = backoffMs(job.failures, chance, attempt.afterMs);
    let ended: Promise<void> | undefined;
    if (waitMs > retryForMs)
      ended = this.#end(job, "failed", `${attempt.detail}; it is not to be tried again within an hour`);
    else if (nowMs + waitMs > job.firstFailedAtMs + retryForMs)
      ended = this.#end(job, "failed", gaveUp(attempt.detail));
    else this.#rest(job, waitMs);
    const manyFail = this.#failedInRow.size >= manyFailures;
    if (concernsReceiver.has(attempt.reason) || manyFail || this.#trouble !== undefined) this.#pause(attempt);
    return ended;
  }

  #rest(job: Job, waitMs: number): void {
    job.state = "resting";
    this.#after(waitMs, () => {
      if (job.state === "resting") this.#free(job);
      this.#pump();
    });
  }

  /** Attempts that were on their way when the pause began say nothing new. */
  #pause(attempt: RetryableFailure): void {
    if (this.#trouble?.paused) return;
    const { chance } = this.#options;
    const failures = (this.#trouble?.failures ?? 0) + 1;
    const trouble = { failures, reason: attempt.reason, paused: true };
    this.#trouble = trouble;
    this.#cancelPause = this.#after(backoffMs(failures, chance, Math.min(longestPauseMs, attempt.afterMs ?? 0)), () => {
      trouble.paused = false;
      this.#pump();
    });
    this.#expire(attempt.detail);
  }

  /** [DL7] What waited for an hour in which nothing got through has failed too, though it never had a turn. */
  #expire(detail: string): void {
    const beforeMs = this.#options.clock.monotonic() - retryForMs;
    if (this.#lastSuccessAtMs > beforeMs) return;
    for (const job of [...this.#lanes.all()]) {
      if (job.addedAtMs > beforeMs) return;
      if (job.state !== "sending") void this.#end(job, "failed", gaveUp(detail));
    }
  }

  #end(job: Job, outcome: "delivered" | "failed", detail: string): Promise<void> {
    this.#again.delete(job);
    this.#fresh.delete(job);
    this.#failedInRow.delete(job);
    job.state = "waiting";
    for (const next of this.#lanes.remove(job)) this.#free(next);
    return this.#options.ended(job.message, outcome, detail);
  }

  #after(ms: number, wake: () => void): () => void {
    const cancel = (): void => {
      cancelTimer();
      this.#cancels.delete(cancel);
    };
    const cancelTimer = this.#options.clock.after(ms, () => {
      this.#cancels.delete(cancel);
      wake();
    });
    this.#cancels.add(cancel);
    return cancel;
  }
}

const gaveUp = (detail: string): string => `given up after an hour; the last attempt: ${detail}`;
