import type { HistoryEntry } from "@realmwatch/shared/model/history";
import type { CompletedDelivery, Notification, NotificationDecision } from "@realmwatch/shared/model/notification";
import type { ObjectKey } from "@realmwatch/shared/model/object-key";

/** Outcome of one event handler. */
export type HandlerEnd = {
  readonly key: ObjectKey;
  /** Name of the handler, a key of `handlers`. */
  readonly name: string;
  /** Output of the program, or the reason of its failure; without secrets. */
  readonly output: string;
};

/** Types of the history entries of ended deliveries. */
const endTypes = {
  delivered: "notification",
  failed: "notification_failed",
  cancelled: "notification_suppressed",
} as const;

/** [NO23] History entry of a delivery that ended: the receiver took the notification, or it was given up or cancelled. */
export function deliveryHistoryEntry({ notification, outcome, detail }: CompletedDelivery, atMs: number): HistoryEntry {
  const fields = { ...notificationFields(notification), ...possibleDuplicateMark(notification) };
  const entry: HistoryEntry = { atMs, type: endTypes[outcome], ...fields };
  if (outcome === "failed") return { ...entry, output: detail };
  if (outcome === "delivered") return entry;
  return { ...entry, because: { reason: "digest", name: notification.contact, untilMs: undefined } };
}

/** History entry of a notification that goes to a fallback contact, or that a filter keeps from it. */
export const fallbackHistoryEntry = (
  failed: Notification,
  { to, suppressed, atMs }: { to: string; suppressed: NotificationDecision | undefined; atMs: number },
): HistoryEntry => ({
  atMs,
  type: suppressed === undefined ? "notification_queued" : "notification_suppressed",
  ...notificationFields(failed),
  contact: to,
  because: suppressed ?? { reason: "decided", name: failed.contact, untilMs: undefined },
});

/** [PA43] Mark of a notification that its contact may have got before. */
export const possibleDuplicateMark = ({ possibleDuplicate }: Notification): { readonly possibleDuplicate?: true } =>
  possibleDuplicate ? { possibleDuplicate: true } : {};

const notificationFields = (notification: Notification): Omit<HistoryEntry, "atMs" | "type"> => {
  const { key, kind, contact, level, status, previousStatus, stateType, author, comment } = notification;
  return {
    ...{ key, notificationKind: kind, contact, level, status, previousStatus, stateType },
    ...(author === "" ? {} : { author }),
    ...(comment === "" ? {} : { comment }),
  };
};

export const handlerHistoryEntry = ({ key, name, output }: HandlerEnd, atMs: number): HistoryEntry => ({
  atMs,
  type: "handler",
  key,
  output: `${name}: ${output}`,
});
