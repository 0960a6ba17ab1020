import { createHash } from "node:crypto";
import type { Notification } from "@realmwatch/shared/model/notification";
import { refOf } from "@realmwatch/shared/model/object-key";
import MailComposer from "nodemailer/lib/mail-composer";
import { reject } from "../attempt-result.ts";
import type { ContactMessage, MessageOrigin } from "../contact-message.ts";
import type { ContactType } from "../contact-type.ts";
import { formatMailHtml } from "../format/mail-html.ts";
import { statusText } from "../format/notification-text.ts";
import { formatPlainText, describeMessage } from "../format/plain-text.ts";
import { sanitiseLine } from "../format/sanitise-text.ts";

/** One address, without a name and without anything that could end a header or a command. */
const addressPattern = /^[^\s<>()[\]\\,;:"@\p{Cc}]+@[^\s<>()\\,;:"@\p{Cc}]+$/u;

const maxSubject = 200;

/** A mail through `-smtp-url`: text and HTML, in one thread for each problem. `address` may be several with commas. */
export const emailContact: ContactType<"email"> = {
  type: "email",
  // Filters that look into mail before it is accepted take their time; a repetition would be a second mail.
  deadlineMs: 30_000,
  async send({ address }, message, { smtp, origin, settings, clock }, signal) {
    const to = address.split(",").map((one) => one.trim());
    if (!to.every((one) => addressPattern.test(one)))
      return reject("setup", "the contact's address is no mail address");
    if (settings.smtpUrl === undefined) return reject("setup", "mail cannot be sent: -smtp-url is not set");
    const from = readSender(settings.smtpFrom);
    if (from === undefined) {
      const why = settings.smtpFrom === undefined ? "is not set" : "is no mail address";
      return reject("setup", `mail cannot be sent: -smtp-from ${why}`);
    }
    const composed = await compose(message, { origin, from, to, atMs: clock.now() });
    return smtp.deliver({ from: from.address, to }, composed, signal);
  },
};

type Address = { readonly name: string; readonly address: string };

/** `noc@example.org` or `Operations <noc@example.org>`. */
function readSender(text: string | undefined): Address | undefined {
  const named = /^(.*)<([^<>]+)>\s*$/.exec(text ?? "");
  const address = (named?.[2] ?? text ?? "").trim();
  const name = sanitiseLine((named?.[1] ?? "").replace(/^\s*"|"\s*$/g, ""), 100);
  return addressPattern.test(address) ? { name, address } : undefined;
}

type Cover = { readonly sender: MessageOrigin; readonly from: Address; readonly to: readonly string[]; readonly atMs: number };

function compose(message: ContactMessage, { sender, from, to, atMs }: Cover): Promise<Buffer> {
  const worded = describeMessage(message, sender);
  const domain = from.address.slice(from.address.indexOf("@") + 1);
  const thread = threadOf(message, domain);
  const composer = new MailComposer({
    from: { name: from.name || "Realmwatch", address: from.address },
    to: to.map((address) => ({ name: "", address })),
    subject: sanitiseLine(worded.subject, maxSubject),
    date: new Date(atMs),
    messageId: `<${idPart(message.id)}@${domain}>`,
    ...(thread === undefined ? {} : { references: thread, inReplyTo: thread }),
    text: formatPlainText(worded),
    html: formatMailHtml(worded),
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All", ...about(message, sender) },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

/** [DL9] The thread that all mails about one problem answer to. A digest of several problems is in none. */
function threadOf({ notifications }: ContactMessage, domain: string): string | undefined {
  const problems = new Set(notifications.map(({ problemId }) => problemId));
  const [only] = problems;
  return problems.size === 1 && only ? `<problem.${idPart(only)}@${domain}>` : undefined;
}

/** An id as the left side of a Message-ID: itself where it can be one. */
const idPart = (id: string): string =>
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,100}$/.test(id) ? id : createHash("sha256").update(id).digest("hex").slice(0, 40);

/** Headers to sort mail by. */
function about({ notifications }: ContactMessage, { realm }: MessageOrigin): Record<string, string> {
  const headers = { "X-Realmwatch-Realm": realm };
  const [only] = notifications;
  if (only === undefined || notifications.length > 1) return { ...headers, "X-Realmwatch-Kind": "DIGEST" };
  return { ...headers, ...aboutOne(only) };
}

const aboutOne = ({ kind, key, status }: Notification): Record<string, string> => ({
  "X-Realmwatch-Kind": kind,
  "X-Realmwatch-Object": sanitiseLine(refOf(key), 300),
  "X-Realmwatch-Status": statusText(status),
});
