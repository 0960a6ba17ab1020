import type { Notification } from "@realmwatch/shared/model/notification";
import { isProblem } from "@realmwatch/shared/model/status";
import { counted } from "@realmwatch/shared/view/plural";
import type { ContactMessage, MessageOrigin } from "../contact-message.ts";
import { describeNotification, digestFacts, type NotificationText } from "./notification-text.ts";
import { truncate } from "./sanitise-text.ts";

/** Texts of a message for people. */
export type MessageText = { readonly subject: string; readonly notifications: readonly NotificationText[] };

/** Formats the texts of a message; a digest gets a subject that counts its notifications. */
export function describeMessage({ notifications }: ContactMessage, origin: MessageOrigin): MessageText {
  const texts = notifications.map((notification) => describeNotification(notification, origin));
  const [only] = texts;
  if (only !== undefined && texts.length === 1) return { subject: only.subject, notifications: texts };
  return { subject: digestSubject(notifications, origin.realm), notifications: texts };
}

/** Applies `change` to all texts of a message except links. */
export function mapMessageTexts(
  { subject, notifications }: MessageText,
  change: (text: string) => string,
): MessageText {
  return {
    subject: change(subject),
    notifications: notifications.map((text) => ({
      ...text,
      subject: change(text.subject),
      headline: change(text.headline),
      output: change(text.output),
      longOutput: change(text.longOutput),
      facts: text.facts.map(([label, value]) => [label, change(value)] as const),
    })),
  };
}

/** Subject of a digest: `3 problems, 1 recovery, 2 other notifications [fra]`. */
function digestSubject(notifications: readonly Notification[], realm: string): string {
  const {
    problem = [],
    recovery = [],
    other = [],
  } = Object.groupBy(notifications, ({ kind, status }) => {
    if (kind === "RECOVERY") return "recovery";
    return (kind === "PROBLEM" || kind === "STATUS_CHANGE") && isProblem(status) ? "problem" : "other";
  });
  const parts = [
    count(problem.length, "problem"),
    count(recovery.length, "recovery"),
    count(other.length, "other notification"),
  ];
  return `${parts.filter(Boolean).join(", ")} [${realm}]`;
}

const count = (number: number, noun: string): string => (number === 0 ? "" : counted(number, noun));

/** Complete plain text: a single notification in full, or a paragraph for each notification of a digest. */
export function formatPlainText({ subject, notifications }: MessageText): string {
  const [only] = notifications;
  if (only !== undefined && notifications.length === 1) return fullText(only);
  return [subject, "", ...notifications.map((text) => `${shortText(text)}${acknowledgeLine(text)}\n`)].join("\n");
}

function fullText({ headline, output, longOutput, facts, ...text }: NotificationText): string {
  const width = Math.max(...facts.map(([label]) => label.length));
  const indent = " ".repeat(width + 2);
  const lines = facts.map(
    ([label, value]) => `${`${label}:`.padEnd(width + 2)}${value.replaceAll("\n", `\n${indent}`)}`,
  );
  // The long output is last, so that truncating a long message leaves times and links.
  return [headline, output, lines.join("\n"), linkText(text), longOutput].filter(Boolean).join("\n\n").concat("\n");
}

/** Instructions and links at the end of a text; a link has a line of its own, so that mail programs recognise it. */
function linkText({ hint, url, acknowledgeUrl }: Pick<NotificationText, "hint" | "url" | "acknowledgeUrl">): string {
  const acknowledge = acknowledgeUrl === "" ? hint : `${hint.replace(/\.$/, ":")}\n${acknowledgeUrl}`;
  return [acknowledge, url && `State and history:\n${url}`].filter(Boolean).join("\n\n");
}

/** Paragraph of a digest: the event, the output, the comment, the time and the link, one line each. */
function shortText({ subject, output, url, facts }: NotificationText): string {
  const line = (text: string): string => `  ${truncate(text.replace(/\s+/g, " "), 300)}`;
  const details = digestFacts({ facts }).map(([label, value]) => line(`${label}: ${value}`));
  return [`* ${subject}`, output && line(output), ...details, url && `  ${url}`].filter(Boolean).join("\n");
}

/** Line of a digest with the link that acknowledges a problem: signed links are long, so that few entries would fit. */
const acknowledgeLine = ({ acknowledgeUrl }: NotificationText): string =>
  acknowledgeUrl === "" ? "" : `\n  Acknowledge: ${acknowledgeUrl}`;

/** Plain text of at most `maxLength` characters; a digest ends with the number of omitted notifications. */
export function formatShortenedText(message: MessageText, maxLength: number): string {
  const full = formatPlainText(message);
  if (full.length <= maxLength || message.notifications.length === 1) return truncate(full, maxLength);
  const room = maxLength - 60;
  let text = `${message.subject}\n\n`;
  for (const [at, notification] of message.notifications.entries()) {
    const paragraph = `${shortText(notification)}\n\n`;
    if (text.length + paragraph.length > room) return `${text}and ${message.notifications.length - at} more`;
    text += paragraph;
  }
  return text;
}
