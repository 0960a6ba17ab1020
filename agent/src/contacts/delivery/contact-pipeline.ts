import type { Clock } from "@realmwatch/shared/model/clock";
import type { CompletedDelivery, Notification } from "@realmwatch/shared/model/notification";
import type { RandomSource } from "@realmwatch/shared/platform/random";
import type { AttemptResult } from "../attempt-result.ts";
import type { ContactMessage } from "../contact-message.ts";
import { ContactQueue } from "./contact-queue.ts";
import { cancelResolvedProblems, sortForDigest, splitIntoDigests, toContactMessage } from "./digest.ts";

/** Most notifications that may be pending for one contact; bounds the memory that a broken contact takes. */
export const maxPendingNotifications = 10_000;

export type ContactPipelineOptions = {
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Longest duration of one attempt, ms. */
  deadlineMs(): number;
  /** Time for which notifications are gathered into a digest, ms; 0 sends each at once. */
  groupWaitMs(): number;
  /** Makes one attempt. Never rejects. */
  send(message: ContactMessage, signal: AbortSignal): Promise<AttemptResult>;
  /** Resolves when the ends will survive a crash. */
  ended(ends: readonly CompletedDelivery[]): Promise<void>;
  attempted(result: AttemptResult, tookMs: number): void;
};

/** Pending notifications of one contact: the window in which a digest is gathered, and the queue behind it. */
export class ContactPipeline {
  readonly #options: ContactPipelineOptions;
  readonly #queue: ContactQueue;
  readonly #pendingIds = new Set<string>();
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
      ended: ({ notifications }, outcome, detail) => this.#end(notifications, outcome, detail),
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
      void this.#options.ended([{ notification, outcome: "failed", detail }]);
      return;
    }
    this.#pendingIds.add(notification.id);
    const waitMs = this.#options.groupWaitMs();
    if (this.#window !== undefined) this.#window.gathered.push(notification);
    else if (waitMs > 0) this.#openWindow(notification, waitMs);
    else this.#queue.add(toContactMessage([notification]));
  }

  /** Retries at once: the configuration may have changed. */
  retryNow(): void {
    this.#queue.retryNow();
  }

  /** Ends as failed everything that is not being sent: the contact was removed. */
  failPending(detail: string): void {
    this.#closed = true;
    const gathered = this.#closeWindow();
    if (gathered.length > 0) void this.#end(gathered, "failed", detail);
    this.#queue.failPending(detail);
  }

  close(graceMs: number): Promise<void> {
    this.#closed = true;
    this.#closeWindow();
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
    if (cancelled.length > 0) void this.#end(cancelled, "cancelled", "");
    for (const message of splitIntoDigests(sortForDigest(remaining))) this.#queue.add(message);
  }

  #end(notifications: readonly Notification[], outcome: CompletedDelivery["outcome"], detail: string): Promise<void> {
    for (const { id } of notifications) this.#pendingIds.delete(id);
    return this.#options.ended(notifications.map((notification) => ({ notification, outcome, detail })));
  }
}
