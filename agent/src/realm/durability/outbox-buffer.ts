import type { Notification } from "@realmwatch/shared/model/notification";

type Outbox = {
  readonly notifications: readonly Notification[];
  /** Ids of notifications whose delivery has ended. */
  readonly delivered: readonly string[];
};

/**
 * Notifications and ended deliveries that wait to be written to the journal. A notification whose delivery ends while
 * the disk fails is dropped unwritten, so the buffer holds no more than what is still to be delivered.
 */
export class OutboxBuffer {
  #notifications = new Map<string, Notification>();
  #delivered = new Set<string>();

  add(notifications: readonly Notification[], delivered: readonly string[]): void {
    for (const notification of notifications) this.#notifications.set(notification.id, notification);
    for (const id of delivered) this.#addDelivered(id);
  }

  /** Removes and returns everything. */
  take(): Outbox {
    const outbox = { notifications: [...this.#notifications.values()], delivered: [...this.#delivered] };
    this.#notifications = new Map();
    this.#delivered = new Set();
    return outbox;
  }

  /** Returns an outbox whose append failed, in front of what was added meanwhile. */
  putBack({ notifications, delivered }: Outbox): void {
    const later = this.take();
    this.add(notifications, delivered);
    this.add(later.notifications, later.delivered);
  }

  #addDelivered(id: string): void {
    const buffered = this.#notifications.get(id);
    this.#notifications.delete(id);
    // A notification whose fallback was asked is written for a second time: the journal may have it already.
    if (buffered === undefined || buffered.fallbackUsed === true) this.#delivered.add(id);
  }
}
