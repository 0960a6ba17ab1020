import { createHash } from "node:crypto";
import { type AttemptResult, reject } from "../../platform/outbound/delivery-result.ts";
import type { ContactDependencies } from "../contact-type.ts";
import { sanitiseLine } from "../format/sanitise-text.ts";

/** Time limit of one attempt, ms. Content filters delay acceptance; a mail that is aborted too early is sent twice. */
export const mailDeadlineMs = 30_000;

/** One address without a name and without characters that could end a header or an SMTP command. */
const addressPattern = /^[^\s<>()[\]\\,;:"@\p{Cc}]+@[^\s<>()\\,;:"@\p{Cc}]+$/u;

const maxSubject = 200;

type OutgoingMail = {
  /** Mails with the same id are repetitions of one mail. */
  readonly id: string;
  /** Id of what all mails of a thread are about; undefined for a mail of its own. */
  readonly thread?: string | undefined;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly attachment?: { readonly filename: string; readonly contentType: string; readonly content: string };
};

type MailDependencies = Pick<ContactDependencies, "smtp" | "clock"> & {
  readonly settings: Pick<ContactDependencies["settings"], "smtpUrl" | "smtpFrom">;
};

/**
 * Makes one attempt to send a mail through `-smtp-url`, marked so that no program answers it.
 *
 * @param address comma-separated list
 */
export async function sendMail(
  address: string,
  mail: OutgoingMail,
  { smtp, settings, clock }: MailDependencies,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const to = address.split(",").map((one) => one.trim());
  if (!to.every((one) => addressPattern.test(one)))
    return reject("setup", "the contact's address is not a mail address");
  if (settings.smtpUrl === undefined) return reject("setup", "mail cannot be sent: -smtp-url is not set");
  const from = parseSender(settings.smtpFrom);
  if (from === undefined) {
    const why = settings.smtpFrom === undefined ? "is not set" : "is not a mail address";
    return reject("setup", `mail cannot be sent: -smtp-from ${why}`);
  }
  const composed = await compose(mail, { from, to, atMs: clock.now() });
  return smtp.deliver({ from: from.address, to }, composed, signal);
}

type Address = { readonly name: string; readonly address: string };

/** Parses `noc@example.org` or `Operations <noc@example.org>`. */
function parseSender(text: string | undefined): Address | undefined {
  const named = /^(.*)<([^<>]+)>\s*$/.exec(text ?? "");
  const address = (named?.[2] ?? text ?? "").trim();
  const name = sanitiseLine((named?.[1] ?? "").replace(/^\s*"|"\s*$/g, ""), 100);
  return addressPattern.test(address) ? { name, address } : undefined;
}

/** Loads the writer of messages. */
export const loadMailComposer = () => import("nodemailer/lib/mail-composer");

type Envelope = { readonly from: Address; readonly to: readonly string[]; readonly atMs: number };

async function compose(mail: OutgoingMail, { from, to, atMs }: Envelope): Promise<Buffer> {
  const { default: MailComposer } = await loadMailComposer();
  const { id, thread, subject, text, html, headers, attachment } = mail;
  const domain = from.address.slice(from.address.indexOf("@") + 1);
  const references = thread === undefined ? undefined : `<problem.${idPart(thread)}@${domain}>`;
  const composer = new MailComposer({
    from: { name: from.name || "Realmwatch", address: from.address },
    to: to.map((address) => ({ name: "", address })),
    subject: sanitiseLine(subject, maxSubject),
    date: new Date(atMs),
    messageId: `<${idPart(id)}@${domain}>`,
    ...(references === undefined ? {} : { references, inReplyTo: references }),
    text,
    ...(html === undefined ? {} : { html }),
    ...(attachment === undefined ? {} : { attachments: [attachment] }),
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All", ...headers },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

/** Left side of a Message-ID: the id itself when it is valid there, its hash otherwise. */
const idPart = (id: string): string =>
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,100}$/.test(id) ? id : createHash("sha256").update(id).digest("hex").slice(0, 40);
