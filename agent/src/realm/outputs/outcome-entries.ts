import type { HistoryEntry } from "@realmwatch/shared/model/history";
import type { CompletedDelivery } from "@realmwatch/shared/model/notification";
import type { ObjectKey } from "@realmwatch/shared/model/object-key";

/** What became of one event handler. */
export type HandlerEnd = {
  readonly key: ObjectKey;
  /** Key of `handlers`. */
  readonly name: string;
  /** What it printed or why it failed; holds no secret. */
  readonly output: string;
};

/** What history says of a delivery's end: a failure, or that it was no longer worth sending. An arrival is no news. */
export function deliveryHistoryEntry({ notification, outcome, detail }: CompletedDelivery, atMs: number): HistoryEntry | undefined {
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
