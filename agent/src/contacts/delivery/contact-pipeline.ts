import type { CompletedDelivery, Notification } from "@realmwatch/shared/model/notification";
import { ContactQueue } from "./contact-queue.ts";
import type { ContactPort } from "./delivery-reports.ts";
import { cancelResolvedProblems, sortForDigest, splitIntoDigests, toContactMessage } from "./digest.ts";
import { FallbackWatch } from "./fallback-watch.ts";

/** Most notifications that may be pending for one contact; bounds the memory that a broken contact takes. */
const maxPendingNotifications = 10_000;

/** Pending notifications of one contact: the window in which a digest is gathered, and the queue behind it. */
export class ContactPipeline {
  readonly #port: ContactPort;
  readonly #queue: ContactQueue;
  readonly #pendingIds = new Set<string>();
  readonly #fallbackWatch: FallbackWatch;
  #window: { readonly gathered: Notification[]; cancel(): void } | undefined;
  #closed = false;

  constructor(port: ContactPort) {
    this.#port = port;
    this.#queue = new ContactQueue({ ...port, ended: (ends) => this.#end(ends) });
    // Time during which the contact must not be notified does not count as its failure.
    this.#fallbackWatch = new FallbackWatch(port, () => this.#queue.unheldMs());
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
      void this.#port.ended([{ notification, outcome: "failed", detail, attempted: false }]);
      return;
    }
    this.#pendingIds.add(notification.id);
    this.#fallbackWatch.add(notification);
    const waitMs = this.#port.groupWaitMs();
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
    if (gathered.length > 0)
      void this.#end(gathered.map((notification) => ({ notification, outcome: "failed", detail, attempted: false })));
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
    const { clock } = this.#port;
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
    if (cancelled.length > 0)
      void this.#end(
        cancelled.map((notification) => ({ notification, outcome: "cancelled", detail: "", attempted: false })),
      );
    for (const message of splitIntoDigests(sortForDigest(remaining))) this.#queue.add(message);
  }

  #end(ends: readonly CompletedDelivery[]): Promise<void> {
    for (const { notification } of ends) this.#pendingIds.delete(notification.id);
    return this.#port.ended(
      ends.map((end) => ({ ...end, notification: this.#fallbackWatch.remove(end.notification) })),
    );
  }
}
