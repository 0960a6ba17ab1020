import type { Notification } from "@realmwatch/shared/model/notification";

export type Outbox = {
  readonly notifications: readonly Notification[];
  readonly delivered: readonly string[];
};

/**
 * Notifications and ends of deliveries on their way to the journal. What is decided and delivered while the disk
 * takes nothing leaves no trace, so that what waits is bounded by what is still to be delivered.
 */
export class OutboxBuffer {
  #notifications = new Map<string, Notification>();
  #delivered = new Set<string>();

  add(notifications: readonly Notification[], delivered: readonly string[]): void {
    for (const notification of notifications) this.#notifications.set(notification.id, notification);
    for (const id of delivered) this.#end(id);
  }

  /** All that waits; none of it waits here any more. */
  take(): Outbox {
    const outbox = { notifications: [...this.#notifications.values()], delivered: [...this.#delivered] };
    this.#notifications = new Map();
    this.#delivered = new Set();
    return outbox;
  }

  /** Takes back what could not be written: it is older than what came meanwhile. */
  putBack({ notifications, delivered }: Outbox): void {
    const later = this.take();
    this.add(notifications, delivered);
    this.add(later.notifications, later.delivered);
  }

  /** An end of what never reached the disk is not worth writing either. */
  #end(id: string): void {
    if (!this.#notifications.delete(id)) this.#delivered.add(id);
  }
}
