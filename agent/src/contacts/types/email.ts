import { createHash } from "node:crypto";
import type { Notification } from "@realmwatch/shared/model/notification";
import { refOf } from "@realmwatch/shared/model/object-key";
import MailComposer from "nodemailer/lib/mail-composer";
import { reject } from "../../platform/outbound/delivery-result.ts";
import type { ContactMessage, MessageOrigin } from "../contact-message.ts";
import type { ContactType } from "../contact-type.ts";
import { formatMailHtml } from "../format/mail-html.ts";
import { statusText } from "../format/notification-text.ts";
import { describeMessage, formatPlainText } from "../format/plain-text.ts";
import { sanitiseLine } from "../format/sanitise-text.ts";

/** One address without a name and without characters that could end a header or an SMTP command. */
const addressPattern = /^[^\s<>()[\]\\,;:"@\p{Cc}]+@[^\s<>()\\,;:"@\p{Cc}]+$/u;

const maxSubject = 200;

/**
 * Sends a mail through `-smtp-url`: text and HTML, one thread for each problem. `address` may be a comma-separated
 * list.
 */
export const emailContact: ContactType<"email"> = {
  type: "email",
  // Content filters delay the acceptance of a mail; an attempt aborted too early would be repeated as a second mail.
  deadlineMs: 30_000,
  async send({ address }, message, { smtp, origin, settings, clock }, signal) {
    const to = address.split(",").map((one) => one.trim());
    if (!to.every((one) => addressPattern.test(one)))
      return reject("setup", "the contact's address is not a mail address");
    if (settings.smtpUrl === undefined) return reject("setup", "mail cannot be sent: -smtp-url is not set");
    const from = parseSender(settings.smtpFrom);
    if (from === undefined) {
      const why = settings.smtpFrom === undefined ? "is not set" : "is not a mail address";
      return reject("setup", `mail cannot be sent: -smtp-from ${why}`);
    }
    const composed = await compose(message, { origin, from, to, atMs: clock.now() });
    return smtp.deliver({ from: from.address, to }, composed, signal);
  },
};

type Address = { readonly name: string; readonly address: string };

/** Parses `noc@example.org` or `Operations <noc@example.org>`. */
function parseSender(text: string | undefined): Address | undefined {
  const named = /^(.*)<([^<>]+)>\s*$/.exec(text ?? "");
  const address = (named?.[2] ?? text ?? "").trim();
  const name = sanitiseLine((named?.[1] ?? "").replace(/^\s*"|"\s*$/g, ""), 100);
  return addressPattern.test(address) ? { name, address } : undefined;
}

type MailFields = {
  readonly origin: MessageOrigin;
  readonly from: Address;
  readonly to: readonly string[];
  readonly atMs: number;
};

function compose(message: ContactMessage, { origin, from, to, atMs }: MailFields): Promise<Buffer> {
  const text = describeMessage(message, origin);
  const domain = from.address.slice(from.address.indexOf("@") + 1);
  const thread = threadOf(message, domain);
  const composer = new MailComposer({
    from: { name: from.name || "Realmwatch", address: from.address },
    to: to.map((address) => ({ name: "", address })),
    subject: sanitiseLine(text.subject, maxSubject),
    date: new Date(atMs),
    messageId: `<${idPart(message.id)}@${domain}>`,
    ...(thread === undefined ? {} : { references: thread, inReplyTo: thread }),
    text: formatPlainText(text),
    html: formatMailHtml(text),
    headers: {
      "Auto-Submitted": "auto-generated",
      "X-Auto-Response-Suppress": "All",
      ...filterHeaders(message, origin),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

/** [DL9] Thread of all mails about one problem; undefined for a digest of several problems. */
function threadOf({ notifications }: ContactMessage, domain: string): string | undefined {
  const problems = new Set(notifications.map(({ problemId }) => problemId));
  const [only] = problems;
  return problems.size === 1 && only ? `<problem.${idPart(only)}@${domain}>` : undefined;
}

/** Left side of a Message-ID: the id itself when it is valid there, its hash otherwise. */
const idPart = (id: string): string =>
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,100}$/.test(id) ? id : createHash("sha256").update(id).digest("hex").slice(0, 40);

/** Headers by which recipients can filter mail. */
function filterHeaders({ notifications }: ContactMessage, { realm }: MessageOrigin): Record<string, string> {
  const headers = { "X-Realmwatch-Realm": realm };
  const [only] = notifications;
  if (only === undefined || notifications.length > 1) return { ...headers, "X-Realmwatch-Kind": "DIGEST" };
  return { ...headers, ...notificationHeaders(only) };
}

const notificationHeaders = ({ kind, key, status }: Notification): Record<string, string> => ({
  "X-Realmwatch-Kind": kind,
  "X-Realmwatch-Object": sanitiseLine(refOf(key), 300),
  "X-Realmwatch-Status": statusText(status),
});
