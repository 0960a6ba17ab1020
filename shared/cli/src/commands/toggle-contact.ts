import { create, toJson } from "@bufbuild/protobuf";
import { type Contact, RemainingRecipientsSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { setContactNotificationsCommand } from "@realmwatch/shared/commands/set-contact-notifications";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { remainingSentences } from "@realmwatch/shared/view/remaining-recipients";
import { type CliContext, cliCommand } from "../cli-command.ts";
import { type CliFailure, commandFailed, wrongUsage } from "../output/cli-failure.ts";
import type { CliOutput } from "../output/cli-output.ts";
import { formatLocalTime } from "../output/format-object.ts";
import { printableText } from "../output/printable-text.ts";
import { readTimeFlags } from "../parse/read-time.ts";
import { doneOutput } from "./target-command.ts";
import { readSwitch } from "./toggle.ts";

const { fields } = setContactNotificationsCommand.words;

/** Contact of this name in the realm of the command; undefined where no or more than one realm has it. */
async function findContact(
  name: string,
  { server }: Pick<CliContext, "server">,
): Promise<Result<Contact | undefined, CliFailure>> {
  const answer = await server.query("listContacts", {});
  if (!answer.ok) return answer;
  const named = answer.value.contacts.filter(
    (contact) =>
      contact.name === name && (server.realm === "" || contact.realm === "" || contact.realm === server.realm),
  );
  return ok(named.length === 1 ? named[0] : undefined);
}

/** Lines on who is left while the contact is muted; none from a server that does not say it. */
const remainingLines = (contact: Contact | undefined): readonly string[] =>
  contact?.remaining === undefined ? [] : remainingSentences(contact.name, contact.remaining).map(printableText);

/** Output of a mute: what was done, if anything, and who is left. */
const muteOutput = (done: readonly string[], contact: Contact | undefined): CliOutput => ({
  json:
    contact?.remaining === undefined
      ? {}
      : { remaining: toJson(RemainingRecipientsSchema, create(RemainingRecipientsSchema, contact.remaining)) },
  text: () => [...done, ...remainingLines(contact)].join("\n"),
  ids: [],
});

export const toggleContactCliCommand = cliCommand({
  path: "toggle contact",
  args: ["CONTACT", "ON|OFF"],
  summary: "Enable the notifications of one contact, or mute it: shows who is left.",
  flags: {
    comment: { help: fields.comment, placeholder: "TEXT" },
    until: { help: fields.until, placeholder: "TIME" },
    "dry-run": { help: "Show who is left, and mute nothing." },
    yes: { help: "Mute the only contact of objects without confirmation." },
  },
  async run({ args: [name = "", state = ""], flags, context }) {
    const enabled = readSwitch(state);
    if (!enabled.ok) return wrongUsage(enabled.error);
    const times = readTimeFlags(["until"], { until: flags.until }, context, "future");
    if (!times.ok) return wrongUsage(times.error);
    if (enabled.value && (flags.until !== undefined || flags["dry-run"]))
      return wrongUsage("-until and -dry-run are for off");
    const found = enabled.value ? ok(undefined) : await findContact(name, context);
    if (!found.ok) return found;
    const contact = found.value;
    if (flags["dry-run"])
      return contact === undefined
        ? commandFailed(`contact ${JSON.stringify(name)} was not found in one realm: choose it with -target-realm`)
        : ok(muteOutput([], contact));
    if (!flags.yes && context.confirm !== undefined && (contact?.remaining?.uncoveredPolicies ?? 0) > 0) {
      context.report(remainingLines(contact).join("\n"));
      if (!(await context.confirm(`Mute ${name}?`))) return commandFailed("nothing was muted");
    }
    const { comment = "" } = flags;
    const request = { contact: name, enabled: enabled.value, comment, ...times.value };
    const answer = await context.server.command("setContactNotifications", request);
    if (!answer.ok) return answer;
    const { until } = times.value;
    const screen = { columns: undefined, colours: false, nowMs: context.clock.now(), zone: context.zone };
    const done = `notifications of ${name}: ${state}${until === undefined ? "" : ` until ${formatLocalTime(until, screen)}`}`;
    return ok(enabled.value ? doneOutput(done) : muteOutput([done], contact));
  },
});
