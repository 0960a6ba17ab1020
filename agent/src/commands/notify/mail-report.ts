import { outboundPolicyOf } from "@realmwatch/shared/api/program-flags";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { FlagTable } from "@realmwatch/shared/platform/flags/flags";
import { type ProgramExit, subCommand } from "@realmwatch/shared/platform/process/run-program";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { mailDeadlineMs, sendMail } from "../../contacts/mail/outgoing-mail.ts";
import { openSmtpPool } from "../../contacts/mail/smtp-pool.ts";
import { agentFlags } from "../../flags.ts";
import { openNameResolver } from "../../platform/dns/name-resolver.ts";
import { configIsNeeded, documentFlags, findDeclared, readDocument } from "../read-document.ts";

const flags = {
  config: agentFlags.config,
  ...documentFlags,
  realm: agentFlags.realm,
  "outbound-deny": agentFlags["outbound-deny"],
  "smtp-url": agentFlags["smtp-url"],
  "smtp-from": agentFlags["smtp-from"],
  "smtp-password": agentFlags["smtp-password"],
} as const satisfies FlagTable;

/** Report as `realmwatch report -schedule` writes it on stdin. */
type ReportMail = {
  readonly subject: string;
  readonly text: string;
  readonly attachment: { readonly name: string; readonly csv: string };
};

/** [RP11] `mail-report CONTACT -config FILE`: sends the report on stdin to a mail contact, in one attempt. */
export const mailReportSubCommand = subCommand({
  words: ["CONTACT"],
  flags,
  async run({ words: [name = ""], values, readStdin }): Promise<Result<string, string | ProgramExit>> {
    if (values.config === undefined) return fail(configIsNeeded("the contact"));
    const plan = await readDocument(values);
    if (!plan.ok) return plan;
    const contact = findDeclared(["contact", name], plan.value.contacts);
    if (!contact.ok) return contact;
    const { type } = contact.value;
    const quoted = `contact ${JSON.stringify(name)}`;
    if (type !== "email") return fail(`${quoted} is of type ${type}: a report goes to a contact of type email`);
    const { subject, text, attachment } = JSON.parse(await readStdin()) as ReportMail;
    const clock = systemClock;
    const outbound = outboundPolicyOf(values, { demo: values.configProfile === "demo" });
    const smtp = openSmtpPool({ clock, resolver: openNameResolver({ clock, outbound }), settings: values });
    const mail = {
      // A second run for the same month is a repetition, which mail programs show once.
      ...{ id: `${name} ${subject}`, subject, text, headers: { "X-Realmwatch-Kind": "REPORT" } },
      attachment: { filename: attachment.name, contentType: "text/csv; charset=utf-8", content: attachment.csv },
    };
    const tools = { smtp, clock, settings: values };
    const result = await sendMail(contact.value.address, mail, tools, AbortSignal.timeout(mailDeadlineMs));
    await smtp.close();
    if (result.kind === "delivered") return ok(`the report was sent to ${quoted}`);
    return fail(`the report was not sent to ${quoted}: ${result.detail} (${result.reason})`);
  },
});
