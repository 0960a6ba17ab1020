import type { DeliveredMessage, NotificationJson } from "./webhook-receiver.ts";

/**
 * A message as scenarios write it, names without their prefix: `ann PROBLEM CRITICAL db level 0 number 1`, with
 * ` by carl: words` where somebody said something; a digest is `ann digest: PROBLEM CRITICAL db, PROBLEM WARNING web/http`.
 */
export function formatDelivered({ contact, notifications }: DeliveredMessage, prefix: string): string {
  const who = bare(contact, prefix);
  const [one] = notifications;
  if (notifications.length !== 1 || one === undefined)
    return `${who} digest: ${notifications.map((each) => showNews(each, prefix)).join(", ")}`;
  const { level, number, author, comment } = one;
  const words = author === "" && comment === "" ? "" : ` by ${author}: ${comment}`;
  return `${who} ${showNews(one, prefix)} level ${level} number ${number}${words}`;
}

const showNews = ({ kind, status, object }: NotificationJson, prefix: string): string =>
  `${kind} ${status} ${showObject(object, prefix)}`;

function showObject({ kind, host, name }: NotificationJson["object"], prefix: string): string {
  if (kind === "service") return `${bare(host ?? "?", prefix)}/${name}`;
  return kind === "process" ? `process:${bare(name, prefix)}` : bare(name, prefix);
}

const bare = (name: string, prefix: string): string => (name.startsWith(prefix) ? name.slice(prefix.length) : name);
