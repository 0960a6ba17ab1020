import { type ContactDeliveryState, noDeliveries } from "@realmwatch/shared/model/catalog";
import type { CompletedDelivery, FailedAttempt, Notification } from "@realmwatch/shared/model/notification";

/** State of a contact's deliveries that survives a restart, by contact; the queue follows from the notifications. */
export type StoredContactDeliveries = Readonly<Record<string, Partial<Omit<ContactDeliveryState, "queued">>>>;

/** Read-only view of the deliveries to all contacts. */
export interface ContactDeliveriesReader {
  of(contact: string): ContactDeliveryState;
}

/** Longest error of a contact that is kept, characters. */
const maxErrorLength = 300;

/** State of the deliveries to each contact, from the decisions, attempts and ends that the realm loop processes. */
export class ContactDeliveries implements ContactDeliveriesReader {
  readonly #states = new Map<string, ContactDeliveryState>();

  constructor(stored: StoredContactDeliveries = {}, pending: readonly Notification[] = []) {
    for (const [contact, state] of Object.entries(stored)) this.#change(contact, state);
    this.queued(pending);
  }

  of(contact: string): ContactDeliveryState {
    return this.#states.get(contact) ?? noDeliveries;
  }

  queued(notifications: readonly Notification[]): void {
    for (const { contact } of notifications) this.#change(contact, { queued: this.of(contact).queued + 1 });
  }

  /** @returns true when the contact begins to fail */
  attemptFailed({ notification, detail }: FailedAttempt, atMs: number): boolean {
    return this.#failed(notification.contact, detail, atMs);
  }

  /** @returns true when the contact begins to fail or ceases to */
  ended({ notification: { contact }, outcome, detail, attempted }: CompletedDelivery, atMs: number): boolean {
    const before = this.of(contact);
    this.#change(contact, { queued: Math.max(0, before.queued - 1) });
    if (outcome === "failed") return attempted && this.#failed(contact, detail, atMs);
    if (outcome === "cancelled") return false;
    this.#change(contact, { failingSinceMs: undefined, lastDeliveredAtMs: atMs });
    return before.failingSinceMs !== undefined;
  }

  /** State to store, of the given contacts. */
  stored(contacts: Iterable<string>): StoredContactDeliveries {
    const stored: Record<string, StoredContactDeliveries[string]> = {};
    for (const contact of contacts) {
      const state = this.#states.get(contact);
      if (state === undefined) continue;
      const { queued: _, ...rest } = state;
      stored[contact] = rest;
    }
    return stored;
  }

  #failed(contact: string, detail: string, atMs: number): boolean {
    const { failingSinceMs } = this.of(contact);
    this.#change(contact, { failingSinceMs: failingSinceMs ?? atMs, lastError: detail.slice(0, maxErrorLength) });
    return failingSinceMs === undefined;
  }

  #change(contact: string, change: Partial<ContactDeliveryState>): void {
    this.#states.set(contact, { ...this.of(contact), ...change });
  }
}
