import type { DeliveredMessage, NotificationJson } from "./webhook-receiver.ts";

/**
 * Formats a message as scenarios write it, names without their prefix: `ann PROBLEM CRITICAL db level 0 number 1`, with
 * ` by carl: comment` appended when it has an author or comment. A digest becomes
 * `ann digest: PROBLEM CRITICAL db, PROBLEM WARNING web/http`.
 */
export function formatDelivered({ contact, notifications }: DeliveredMessage, prefix: string): string {
  const recipient = withoutPrefix(contact, prefix);
  const [one] = notifications;
  if (notifications.length !== 1 || one === undefined)
    return `${recipient} digest: ${notifications.map((each) => formatNotification(each, prefix)).join(", ")}`;
  const { level, number, author, comment } = one;
  const remark = author === "" && comment === "" ? "" : ` by ${author}: ${comment}`;
  return `${recipient} ${formatNotification(one, prefix)} level ${level} number ${number}${remark}`;
}

const formatNotification = ({ kind, status, object }: NotificationJson, prefix: string): string =>
  `${kind} ${status} ${formatObject(object, prefix)}`;

function formatObject({ kind, host, name }: NotificationJson["object"], prefix: string): string {
  if (kind === "service") return `${withoutPrefix(host ?? "?", prefix)}/${name}`;
  return kind === "process" ? `process:${withoutPrefix(name, prefix)}` : withoutPrefix(name, prefix);
}

const withoutPrefix = (name: string, prefix: string): string =>
  name.startsWith(prefix) ? name.slice(prefix.length) : name;
