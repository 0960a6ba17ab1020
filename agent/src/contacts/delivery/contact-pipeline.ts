import type { Clock } from "@realmwatch/shared/model/clock";
import type { CompletedDelivery, FailedAttempt, Notification } from "@realmwatch/shared/model/notification";
import type { RandomSource } from "@realmwatch/shared/platform/random";
import type { AttemptResult } from "../../platform/outbound/delivery-result.ts";
import type { ContactMessage } from "../contact-message.ts";
import { ContactQueue } from "./contact-queue.ts";
import { cancelResolvedProblems, sortForDigest, splitIntoDigests, toContactMessage } from "./digest.ts";
import { FallbackWatch } from "./fallback-watch.ts";

/** Most notifications that may be pending for one contact; bounds the memory that a broken contact takes. */
const maxPendingNotifications = 10_000;

type ContactPipelineOptions = {
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Longest duration of one attempt, ms. */
  deadlineMs(): number;
  /** Time for which notifications are gathered into a digest, ms; 0 sends each at once. */
  groupWaitMs(): number;
  /** `fallback_after` of the contact, ms; undefined without a fallback. */
  fallbackAfterMs(): number | undefined;
  /** Makes one attempt. Never rejects. */
  send(message: ContactMessage, signal: AbortSignal): Promise<AttemptResult>;
  /** Resolves when the ends will survive a crash. */
  ended(ends: readonly CompletedDelivery[]): Promise<void>;
  attempted(result: AttemptResult, tookMs: number): void;
  /** Called after a failed attempt that another one follows. */
  attemptFailed(attempts: readonly FailedAttempt[]): void;
  /** Called once for each notification that is not delivered in time for its contact's fallback. */
  overdue(notifications: readonly Notification[]): void;
};

/** Pending notifications of one contact: the window in which a digest is gathered, and the queue behind it. */
export class ContactPipeline {
  readonly #options: ContactPipelineOptions;
  readonly #queue: ContactQueue;
  readonly #pendingIds = new Set<string>();
  readonly #fallbackWatch: FallbackWatch;
  #window: { readonly gathered: Notification[]; cancel(): void } | undefined;
  #closed = false;

  constructor(options: ContactPipelineOptions) {
    this.#options = options;
    const { clock, random, deadlineMs, send, attempted } = options;
    this.#queue = new ContactQueue({
      clock,
      random,
      deadlineMs,
      send,
      attempted,
      retrying: ({ notifications }, detail) =>
        options.attemptFailed(notifications.map((notification) => ({ notification, detail }))),
      ended: ({ notifications }, outcome, end) => this.#end(notifications, { outcome, ...end }),
    });
    this.#fallbackWatch = new FallbackWatch({
      clock,
      overdueAfterMs() {
        const afterMs = options.fallbackAfterMs();
        return afterMs === undefined ? undefined : afterMs + options.groupWaitMs();
      },
      overdue: options.overdue,
    });
  }

  /** Number of notifications that have not ended. */
  get length(): number {
    return this.#pendingIds.size;
  }

  get queue(): Pick<ContactQueue, "sending" | "failing"> {
    return this.#queue;
  }

  enqueue(notification: Notification): void {
    if (this.#closed || this.#pendingIds.has(notification.id)) return;
    if (this.#pendingIds.size >= maxPendingNotifications) {
      const detail = `${maxPendingNotifications} notifications wait for this contact already`;
      void this.#options.ended([{ notification, outcome: "failed", detail, attempted: false }]);
      return;
    }
    this.#pendingIds.add(notification.id);
    this.#fallbackWatch.add(notification);
    const waitMs = this.#options.groupWaitMs();
    if (this.#window !== undefined) this.#window.gathered.push(notification);
    else if (waitMs > 0) this.#openWindow(notification, waitMs);
    else this.#queue.add(toContactMessage([notification]));
  }

  /** Retries at once: the configuration may have changed. */
  retryNow(): void {
    this.#fallbackWatch.reload();
    this.#queue.retryNow();
  }

  /** Ends as failed everything that is not being sent: the contact was removed. */
  failPending(detail: string): void {
    this.#closed = true;
    const gathered = this.#closeWindow();
    if (gathered.length > 0) void this.#end(gathered, { outcome: "failed", detail, attempted: false });
    this.#queue.failPending(detail);
  }

  close(graceMs: number): Promise<void> {
    this.#closed = true;
    this.#closeWindow();
    this.#fallbackWatch.close();
    return this.#queue.close(graceMs);
  }

  /** [DL6] The window begins at the decision, so that a restart does not delay notifications a second time. */
  #openWindow(notification: Notification, waitMs: number): void {
    const { clock } = this.#options;
    const leftMs = Math.min(waitMs, Math.max(0, notification.atMs + waitMs - clock.now()));
    const cancel = clock.after(leftMs, () => this.#flushWindow());
    this.#window = { gathered: [notification], cancel };
  }

  #closeWindow(): readonly Notification[] {
    const gathered = this.#window?.gathered ?? [];
    this.#window?.cancel();
    this.#window = undefined;
    return gathered;
  }

  #flushWindow(): void {
    const { cancelled, remaining } = cancelResolvedProblems(this.#closeWindow());
    if (cancelled.length > 0) void this.#end(cancelled, { outcome: "cancelled", detail: "", attempted: false });
    for (const message of splitIntoDigests(sortForDigest(remaining))) this.#queue.add(message);
  }

  #end(notifications: readonly Notification[], end: Omit<CompletedDelivery, "notification">): Promise<void> {
    for (const { id } of notifications) this.#pendingIds.delete(id);
    const ended = notifications.map((each) => ({ notification: this.#fallbackWatch.remove(each), ...end }));
    return this.#options.ended(ended);
  }
}
