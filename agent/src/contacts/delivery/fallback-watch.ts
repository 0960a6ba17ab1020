import type { Notification } from "@realmwatch/shared/model/notification";
import { refOf } from "@realmwatch/shared/model/object-key";
import type { ContactPort } from "./delivery-reports.ts";

/** Shortest time between two searches for overdue notifications, ms: each search reads all pending ones. */
const searchIntervalMs = 1_000;

/**
 * Finds the pending notifications of one contact that are due to its fallback. [DL22] With an overdue notification, the
 * later ones about the same object become overdue too: the fallback would otherwise not learn of a recovery that the
 * contact receives after all.
 */
export class FallbackWatch {
  readonly #port: ContactPort;
  readonly #nowMs: () => number;
  /**
   * Pending notifications that are not overdue, by id, in order of decision, with its time as `nowMs` has it: a wall
   * clock that is set back must not delay the fallback.
   */
  readonly #waiting = new Map<string, { readonly notification: Notification; readonly decidedAtMs: number }>();
  /** Ids of pending notifications that are overdue. */
  readonly #overdueIds = new Set<string>();
  #cancelTimer: (() => void) | undefined;

  /** @param nowMs monotonic time without the time during which the contact had to wait for the right to act, ms */
  constructor(port: ContactPort, nowMs: () => number) {
    this.#port = port;
    this.#nowMs = nowMs;
  }

  add(notification: Notification): void {
    if (notification.fallbackUsed === true) {
      this.#overdueIds.add(notification.id);
      return;
    }
    const { clock } = this.#port;
    const decidedAtMs = this.#nowMs() - Math.max(0, clock.now() - notification.atMs);
    this.#waiting.set(notification.id, { notification, decidedAtMs });
    if (this.#cancelTimer === undefined) this.#schedule(0);
  }

  /** Removes a notification that ended. Returns it with the mark that its fallback was asked, if it was. */
  remove(notification: Notification): Notification {
    this.#waiting.delete(notification.id);
    if (this.#waiting.size === 0) this.close();
    return this.#overdueIds.delete(notification.id) ? { ...notification, fallbackUsed: true } : notification;
  }

  /** Applies a changed configuration. */
  reload(): void {
    this.close();
    this.#schedule(0);
  }

  close(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  /** Time from the decision until a pending notification is overdue, ms; undefined without a fallback. */
  #overdueAfterMs(): number | undefined {
    const afterMs = this.#port.fallbackAfterMs();
    return afterMs === undefined ? undefined : afterMs + this.#port.groupWaitMs();
  }

  #schedule(atLeastMs: number): void {
    const afterMs = this.#overdueAfterMs();
    const [first] = this.#waiting.values();
    if (afterMs === undefined || first === undefined) return;
    const leftMs = first.decidedAtMs + afterMs - this.#nowMs();
    this.#cancelTimer = this.#port.clock.after(Math.max(atLeastMs, leftMs), () => this.#search());
  }

  #search(): void {
    this.#cancelTimer = undefined;
    const { overdue } = this.#port;
    const afterMs = this.#overdueAfterMs();
    if (afterMs === undefined) return;
    const nowMs = this.#nowMs();
    const refs = new Set<string>();
    const found: Notification[] = [];
    for (const { notification, decidedAtMs } of this.#waiting.values()) {
      const ref = refOf(notification.key);
      if (decidedAtMs + afterMs > nowMs && !refs.has(ref)) continue;
      refs.add(ref);
      found.push(notification);
    }
    for (const { id } of found) {
      this.#waiting.delete(id);
      this.#overdueIds.add(id);
    }
    if (found.length > 0) overdue(found);
    this.#schedule(searchIntervalMs);
  }
}
