import type { Notification } from "@realmwatch/shared/model/notification";
import { refOf } from "@realmwatch/shared/model/object-key";
import type { ContactMessage, MessageOrigin } from "../contact-message.ts";
import type { ContactType } from "../contact-type.ts";
import { formatMailHtml } from "../format/mail-html.ts";
import { statusText } from "../format/notification-text.ts";
import { describeMessage, formatPlainText } from "../format/plain-text.ts";
import { sanitiseLine } from "../format/sanitise-text.ts";
import { mailDeadlineMs, sendMail } from "../mail/outgoing-mail.ts";
import { duplicateHeader } from "./webhook.ts";

/**
 * Sends a mail through `-smtp-url`: text and HTML, one thread for each problem. `address` may be a comma-separated
 * list.
 */
export const emailContact: ContactType<"email"> = {
  type: "email",
  deadlineMs: mailDeadlineMs,
  async send({ address }, message, dependencies, signal) {
    const { origin } = dependencies;
    const text = describeMessage(message, origin);
    const mail = {
      ...{ id: message.id, thread: threadOf(message), subject: text.subject },
      ...{ text: formatPlainText(text), html: formatMailHtml(text), headers: filterHeaders(message, origin) },
    };
    return sendMail(address, mail, dependencies, signal);
  },
};

/** [DL9] Problem whose mails are one thread; undefined for a digest of several problems. */
function threadOf({ notifications }: ContactMessage): string | undefined {
  const problems = new Set(notifications.map(({ problemId }) => problemId));
  const [only] = problems;
  return problems.size === 1 && only ? only : undefined;
}

/** Headers by which recipients can filter mail. */
function filterHeaders({ notifications }: ContactMessage, { realm }: MessageOrigin): Record<string, string> {
  const headers = { "X-Realmwatch-Realm": realm, ...duplicateHeader(notifications) };
  const [only] = notifications;
  if (only === undefined || notifications.length > 1) return { ...headers, "X-Realmwatch-Kind": "DIGEST" };
  return { ...headers, ...notificationHeaders(only) };
}

const notificationHeaders = ({ kind, key, status }: Notification): Record<string, string> => ({
  "X-Realmwatch-Kind": kind,
  "X-Realmwatch-Object": sanitiseLine(refOf(key), 300),
  "X-Realmwatch-Status": statusText(status),
});
