import { never } from "@realmwatch/shared/model/never";
import type { CompletedDelivery } from "@realmwatch/shared/model/notification";
import { refOf } from "@realmwatch/shared/model/object-key";
import { ObjectQueues } from "../../platform/object-queues.ts";
import { deliveryBackoffMs } from "../../platform/outbound/delivery-backoff.ts";
import {
  type AttemptResult,
  type FailureReason,
  mayHaveArrived,
  type RetryableFailure,
  retry,
} from "../../platform/outbound/delivery-result.ts";
import { cutTimeoutMs, RightGate, type SendAdmission } from "../../platform/right/right-gate.ts";
import { type ContactMessage, markPossibleDuplicate } from "../contact-message.ts";
import type { ContactPort } from "./delivery-reports.ts";

/** Time for which a failing message is retried, ms. */
const retryForMs = 3_600_000;
/** Number of messages that must fail in a row before the failures are attributed to the receiver. */
const manyFailures = 3;

/** Longest pause that a receiver can request, ms: no receiver may suppress its own notifications for days. */
const longestPauseMs = 600_000;

/** Failures of the receiver rather than of one message: no other message would be delivered either. */
const receiverFailures: ReadonlySet<FailureReason> = new Set(["connect", "dns", "tls", "rate_limited"]);

type Job = {
  /** Replaced by a marked one once an attempt of it may have arrived. */
  message: ContactMessage;
  readonly refs: readonly string[];
  readonly addedAtMs: number;
  /** Number of failed attempts. */
  failures: number;
  firstFailedAtMs: number | undefined;
  /** `blocked`: an earlier job of one of its objects is pending. */
  state: "blocked" | "ready" | "sending" | "backing_off";
};

type MessageEnd = Omit<CompletedDelivery, "notification">;

/**
 * Pending messages of one contact. Sends one at a time, in order for each object; each is retried until it is
 * delivered, rejected or one hour old. [DL18] The next message is sent only when the end of the one before will survive
 * a crash, so that a crash repeats at most one message. While the receiver as a whole fails, attempts pause for growing
 * delays. [PA40] An attempt begins only while its deadline fits into the right to act; time spent waiting for the right
 * counts neither as a failure nor towards the hour.
 */
export class ContactQueue {
  readonly #port: ContactPort;
  readonly #gate: RightGate;
  readonly #objectQueues = new ObjectQueues<Job>();
  /** Ready jobs; those that failed before precede those that are new. */
  readonly #readyToRetry = new Set<Job>();
  readonly #readyNew = new Set<Job>();
  readonly #stopping = new AbortController();
  readonly #cancels = new Set<() => void>();
  #sending = 0;
  /** Messages that failed since the receiver last responded. */
  readonly #failedInRow = new Set<Job>();
  #receiverFailure: { readonly failures: number; readonly reason: FailureReason; paused: boolean } | undefined;
  #cancelPause = (): void => {};
  #lastSuccessAtMs = Number.NEGATIVE_INFINITY;
  #closed = false;
  /** Detail for messages that fail after `failPending`, which are not retried; undefined before it. */
  #failureDetail: string | undefined;
  #idle: (() => void)[] = [];

  constructor(port: ContactPort) {
    this.#port = port;
    this.#gate = new RightGate(port.right, port.clock, () => this.#sendNext());
  }

  /** Monotonic time without the time during which messages had to wait for the right to act, ms. */
  unheldMs(): number {
    return this.#gate.unheldMs();
  }

  get sending(): number {
    return this.#sending;
  }

  /** Reason why the receiver fails; undefined while it responds. */
  get failing(): FailureReason | undefined {
    return this.#receiverFailure?.reason;
  }

  add(message: ContactMessage): void {
    if (this.#closed) return;
    const refs = [...new Set(message.notifications.map(({ key }) => refOf(key)))];
    const addedAtMs = this.unheldMs();
    const job: Job = { message, refs, addedAtMs, failures: 0, firstFailedAtMs: undefined, state: "blocked" };
    if (this.#objectQueues.add(job)) this.#makeReady(job);
    this.#sendNext();
  }

  /** Ends at once, as failed, everything that is not being sent. A message being sent ends by itself, without retry. */
  failPending(detail: string): void {
    this.#stopTimers();
    for (const job of [...this.#objectQueues.all()])
      if (job.state !== "sending") void this.#end(job, { outcome: "failed", detail, attempted: false });
    this.#failureDetail = detail;
  }

  /** Clears earlier receiver failures and sends at once: a change may have repaired the receiver. */
  retryNow(): void {
    this.#cancelPause();
    this.#receiverFailure = undefined;
    this.#failedInRow.clear();
    this.#sendNext();
  }

  /**
   * Starts no further attempt and waits at most `graceMs` for the running one, which is then aborted, and for its end to
   * be durable, which it never is while a pair's member has neither the right nor its standby. Messages that did not end
   * by then get no end.
   */
  close(graceMs: number): Promise<void> {
    this.#stopTimers();
    if (this.#sending === 0) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#idle.push(resolve);
    const cancel = this.#port.clock.after(graceMs, () => {
      this.#stopping.abort();
      resolve();
    });
    return promise.finally(cancel);
  }

  #stopTimers(): void {
    this.#closed = true;
    this.#gate.close();
    this.#cancelPause();
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
  }

  #makeReady(job: Job): void {
    job.state = "ready";
    (job.failures > 0 ? this.#readyToRetry : this.#readyNew).add(job);
  }

  #sendNext(): void {
    while (!this.#closed && this.#sending === 0 && this.#receiverFailure?.paused !== true) {
      const job = this.#readyToRetry.values().next().value ?? this.#readyNew.values().next().value;
      if (job === undefined) return;
      const admission = this.#gate.admit(this.#port.deadlineMs());
      if (admission === "wait") return;
      this.#readyToRetry.delete(job);
      this.#readyNew.delete(job);
      void this.#attempt(job, admission);
    }
  }

  async #attempt(job: Job, admission: Exclude<SendAdmission, "wait">): Promise<void> {
    const { clock } = this.#port;
    if (admission === "unsafe") this.#markPossibleDuplicate(job);
    job.state = "sending";
    this.#sending += 1;
    const startedMs = clock.monotonic();
    const result = await this.#sendWithDeadline(job.message);
    if (result !== undefined) {
      this.#port.attempted(result, clock.monotonic() - startedMs);
      await this.#settle(job, result);
    }
    this.#sending -= 1;
    if (this.#sending === 0) for (const resolve of this.#idle.splice(0)) resolve();
    this.#sendNext();
  }

  /** Resolves with undefined when the queue was closed during the attempt, whose result is then unknown. */
  #sendWithDeadline(message: ContactMessage): Promise<AttemptResult | undefined> {
    const { clock, send, right } = this.#port;
    const deadlineMs = cutTimeoutMs(right, this.#port.deadlineMs());
    const deadline = new AbortController();
    return new Promise((resolve) => {
      const finish = (result: AttemptResult | undefined): void => {
        cancelTimer();
        this.#stopping.signal.removeEventListener("abort", stop);
        resolve(result);
        deadline.abort();
      };
      const stop = (): void => finish(undefined);
      const cancelTimer = clock.after(deadlineMs, () =>
        finish(retry("timeout", `no answer within ${deadlineMs / 1_000} s`)),
      );
      this.#stopping.signal.addEventListener("abort", stop);
      send(message, deadline.signal).then(finish, () => finish(failedUnexpectedly));
    });
  }

  #settle(job: Job, result: AttemptResult): Promise<void> | undefined {
    switch (result.kind) {
      case "delivered":
        this.#receiverResponded();
        return this.#end(job, { outcome: "delivered", detail: "", attempted: true });
      case "rejected":
        this.#receiverResponded();
        return this.#end(job, { outcome: "failed", detail: result.detail, attempted: true });
      case "retry":
        return this.#failed(job, result);
      default:
        return never(result);
    }
  }

  #receiverResponded(): void {
    this.#lastSuccessAtMs = this.unheldMs();
    this.#failedInRow.clear();
    if (this.#receiverFailure !== undefined) this.#cancelPause();
    this.#receiverFailure = undefined;
  }

  #failed(job: Job, failure: RetryableFailure): Promise<void> | undefined {
    const { random } = this.#port;
    const nowMs = this.unheldMs();
    if (mayHaveArrived(failure)) this.#markPossibleDuplicate(job);
    job.failures += 1;
    job.firstFailedAtMs ??= nowMs;
    this.#failedInRow.add(job);
    if (this.#failureDetail !== undefined)
      return this.#end(job, { outcome: "failed", detail: this.#failureDetail, attempted: true });
    if (this.#closed) return undefined;
    const waitMs = deliveryBackoffMs(job.failures, random, failure.afterMs);
    let ended: Promise<void> | undefined;
    const giveUp = (detail: string): Promise<void> => this.#end(job, { outcome: "failed", detail, attempted: true });
    if (waitMs > retryForMs) ended = giveUp(`${failure.detail}; it is not to be tried again within an hour`);
    else if (nowMs + waitMs > job.firstFailedAtMs + retryForMs) ended = giveUp(gaveUp(failure.detail));
    else {
      const { detail } = failure;
      this.#port.attemptsFailed(job.message.notifications.map((notification) => ({ notification, detail })));
      this.#backOff(job, waitMs);
    }
    const manyFail = this.#failedInRow.size >= manyFailures;
    if (receiverFailures.has(failure.reason) || manyFail || this.#receiverFailure !== undefined) this.#pause(failure);
    return ended;
  }

  /** [PA43] Marks the later attempts of a message, and its end. */
  #markPossibleDuplicate(job: Job): void {
    if (this.#port.marksDuplicates) job.message = markPossibleDuplicate(job.message);
  }

  #backOff(job: Job, waitMs: number): void {
    job.state = "backing_off";
    this.#after(waitMs, () => {
      if (job.state === "backing_off") this.#makeReady(job);
      this.#sendNext();
    });
  }

  /** Pauses the contact. A failure of an attempt that began before a running pause does not lengthen the pause. */
  #pause(failure: RetryableFailure): void {
    if (this.#receiverFailure?.paused) return;
    const { random } = this.#port;
    const failures = (this.#receiverFailure?.failures ?? 0) + 1;
    const receiverFailure = { failures, reason: failure.reason, paused: true };
    this.#receiverFailure = receiverFailure;
    const pauseMs = deliveryBackoffMs(failures, random, Math.min(longestPauseMs, failure.afterMs ?? 0));
    this.#cancelPause = this.#after(pauseMs, () => {
      receiverFailure.paused = false;
      this.#sendNext();
    });
    this.#expire(failure.detail);
  }

  /**
   * [DL7] Ends as failed what waited for an hour without any response of the receiver, even if it was never attempted.
   */
  #expire(detail: string): void {
    const beforeMs = this.unheldMs() - retryForMs;
    if (this.#lastSuccessAtMs > beforeMs) return;
    for (const job of [...this.#objectQueues.all()]) {
      if (job.addedAtMs > beforeMs) return;
      if (job.state !== "sending") void this.#end(job, { outcome: "failed", detail: gaveUp(detail), attempted: false });
    }
  }

  #end(job: Job, end: MessageEnd): Promise<void> {
    this.#readyToRetry.delete(job);
    this.#readyNew.delete(job);
    this.#failedInRow.delete(job);
    job.state = "blocked";
    for (const next of this.#objectQueues.remove(job)) this.#makeReady(next);
    return this.#port.ended(job.message.notifications.map((notification) => ({ notification, ...end })));
  }

  #after(ms: number, wake: () => void): () => void {
    const cancel = (): void => {
      cancelTimer();
      this.#cancels.delete(cancel);
    };
    const cancelTimer = this.#port.clock.after(ms, () => {
      this.#cancels.delete(cancel);
      wake();
    });
    this.#cancels.add(cancel);
    return cancel;
  }
}

const failedUnexpectedly = { ...retry("server", "sending it failed unexpectedly"), mayHaveArrived: true };

const gaveUp = (detail: string): string => `given up after an hour; the last attempt: ${detail}`;
