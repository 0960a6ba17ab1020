import type { HistoryEntry } from "@realmwatch/shared/model/history";
import type { CompletedDelivery } from "@realmwatch/shared/model/notification";
import type { ObjectKey } from "@realmwatch/shared/model/object-key";

/** Outcome of one event handler. */
export type HandlerEnd = {
  readonly key: ObjectKey;
  /** Name of the handler, a key of `handlers`. */
  readonly name: string;
  /** Output of the program, or the reason of its failure; without secrets. */
  readonly output: string;
};

/** History entry of a delivery that failed or was cancelled; undefined when the notification was delivered. */
export function deliveryHistoryEntry(
  { notification, outcome, detail }: CompletedDelivery,
  atMs: number,
): HistoryEntry | undefined {
  if (outcome === "delivered") return undefined;
  const { key, kind, contact, level, status, author, comment } = notification;
  const entry: HistoryEntry = {
    atMs,
    type: outcome === "failed" ? "notification_failed" : "notification_suppressed",
    key,
    notificationKind: kind,
    contact,
    level,
    status,
    ...(author === "" ? {} : { author }),
    ...(comment === "" ? {} : { comment }),
  };
  if (outcome === "failed") return { ...entry, output: detail };
  return { ...entry, because: { reason: "digest", name: contact, untilMs: undefined } };
}

export const handlerHistoryEntry = ({ key, name, output }: HandlerEnd, atMs: number): HistoryEntry => ({
  atMs,
  type: "handler",
  key,
  output: `${name}: ${output}`,
});
