import type { Clock } from "@realmwatch/shared/model/clock";
import type { CompletedDelivery, Notification } from "@realmwatch/shared/model/notification";
import type { RandomSource } from "@realmwatch/shared/platform/random";
import type { AttemptResult } from "../attempt-result.ts";
import type { ContactMessage } from "../contact-message.ts";
import type { Handling } from "../contact-type.ts";
import { ContactQueue } from "./contact-queue.ts";
import { cancelResolvedProblems, sortForDigest, toContactMessage, splitIntoDigests } from "./digest.ts";

/** What may wait for one contact. Beyond it something is very wrong, and memory is not to be the next thing. */
export const maxPendingNotifications = 10_000;

export type ContactPipelineOptions = {
  readonly clock: Clock;
  readonly chance: RandomSource;
  handling(): Handling;
  /** How long messages are gathered into a digest, ms; 0: each goes at once. */
  groupWaitMs(): number;
  /** One attempt. Never rejects. */
  send(message: ContactMessage, signal: AbortSignal): Promise<AttemptResult>;
  /** Resolves when the ends will survive a crash. */
  ended(ends: readonly CompletedDelivery[]): Promise<void>;
  attempted(attempt: AttemptResult, tookMs: number): void;
};

/** Everything on its way to one contact: the window in which a digest is gathered, and the queue behind it. */
export class ContactPipeline {
  readonly #options: ContactPipelineOptions;
  readonly #queue: ContactQueue;
  readonly #known = new Set<string>();
  #window: { readonly gathered: Notification[]; cancel(): void } | undefined;
  #closed = false;

  constructor(options: ContactPipelineOptions) {
    this.#options = options;
    const { clock, chance, handling, send, attempted } = options;
    this.#queue = new ContactQueue({
      clock,
      chance,
      handling,
      send,
      attempted,
      ended: ({ notifications }, outcome, detail) => this.#end(notifications, outcome, detail),
    });
  }

  /** Notifications that have not ended. */
  get length(): number {
    return this.#known.size;
  }

  get queue(): Pick<ContactQueue, "sending" | "failing"> {
    return this.#queue;
  }

  enqueue(notification: Notification): void {
    if (this.#closed || this.#known.has(notification.id)) return;
    if (this.#known.size >= maxPendingNotifications) {
      const detail = `${maxPendingNotifications} notifications wait for this contact already`;
      void this.#options.ended([{ notification, outcome: "failed", detail }]);
      return;
    }
    this.#known.add(notification.id);
    const waitMs = this.#options.groupWaitMs();
    if (this.#window !== undefined) this.#window.gathered.push(notification);
    else if (waitMs > 0) this.#openWindow(notification, waitMs);
    else this.#queue.add(toContactMessage([notification]));
  }

  /** The configuration may have changed. */
  retryNow(): void {
    this.#queue.retryNow();
  }

  /** Ends what is not being sent: the contact is gone. */
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

  /** [DL6] The window is counted from the decision, so that a restart does not make anybody wait twice. */
  #openWindow(notification: Notification, waitMs: number): void {
    const { clock } = this.#options;
    const leftMs = Math.min(waitMs, Math.max(0, notification.atMs + waitMs - clock.now()));
    const cancel = clock.after(leftMs, () => this.#settleWindow());
    this.#window = { gathered: [notification], cancel };
  }

  #closeWindow(): readonly Notification[] {
    const gathered = this.#window?.gathered ?? [];
    this.#window?.cancel();
    this.#window = undefined;
    return gathered;
  }

  #settleWindow(): void {
    const { cancelled, kept } = cancelResolvedProblems(this.#closeWindow());
    if (cancelled.length > 0) void this.#end(cancelled, "cancelled", "");
    for (const message of splitIntoDigests(sortForDigest(kept))) this.#queue.add(message);
  }

  #end(notifications: readonly Notification[], outcome: CompletedDelivery["outcome"], detail: string): Promise<void> {
    for (const { id } of notifications) this.#known.delete(id);
    return this.#options.ended(notifications.map((notification) => ({ notification, outcome, detail })));
  }
}
