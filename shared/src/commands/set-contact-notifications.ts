import type { ContactMute } from "../model/catalog.ts";
import { malformed } from "../model/refusal.ts";
import { fail, ok } from "../model/result.ts";
import { timestampFromProto } from "../wire/fields/time.ts";
import { declareCommand } from "./command-kind.ts";
import { type CommandLine, commandLine, lineCommands } from "./command-line.ts";
import { missing } from "./resolve-target.ts";

type SetContactNotifications = {
  readonly contact: string;
  readonly enabled: boolean;
  /** Absent in the journal of an agent without reasons, and in a command without one. */
  readonly comment?: string;
  /** End of the mute, Unix ms; absent when it lasts until it is undone. */
  readonly untilMs?: number;
};

/** Output of the history record of the command. @param mute undefined when the notifications are enabled */
export const contactToggleText = (contact: string, mute: Pick<ContactMute, "untilMs"> | undefined): string =>
  `notifications of contact ${contact} ${mute === undefined ? "on" : "off"}${
    mute?.untilMs === undefined ? "" : ` until ${new Date(mute.untilMs).toISOString()}`
  }`;

const line = (enabled: boolean): CommandLine<SetContactNotifications> =>
  commandLine(["contact"], ({ contact }, { realm }) =>
    realm.plan.contacts.has(contact)
      ? lineCommands([{ contact, enabled }])
      : fail(`contact ${JSON.stringify(contact)} does not exist`),
  );

export const setContactNotificationsCommand = declareCommand("setContactNotifications", {
  kind: "set_contact_notifications",
  words: {
    action: "Mute",
    noun: "mute",
    fields: {
      comment: "Reason of the mute.",
      until:
        "End of the mute: after a duration such as 4h, or at a time. Without it, the mute lasts until it is undone.",
    },
  },
  // [CM3] Clients of a plain proto3 `bool` leave `enabled` out when it is false.
  parse({ contact, enabled = false, comment, until }, { realm }) {
    if (contact === "") return malformed("contact", "is required");
    if (!realm.plan.contacts.has(contact)) return missing("contact", `contact ${JSON.stringify(contact)}`);
    const untilMs = timestampFromProto("until", until);
    if (!untilMs.ok) return untilMs;
    if (enabled && untilMs.value !== undefined)
      return malformed("until", "is the end of a mute: enabled must be false");
    return ok({
      ...{ contact, enabled },
      ...(comment === "" ? {} : { comment }),
      ...(untilMs.value === undefined ? {} : { untilMs: untilMs.value }),
    });
  },
  effects({ contact, enabled, comment = "", untilMs }: SetContactNotifications, { by, atMs }) {
    const mute: ContactMute | undefined = enabled ? undefined : { contact, ...by, comment, atMs, untilMs };
    return [{ kind: "contact", contact, mute, comment }];
  },
  recorded(output) {
    const [, contact = "", state, until] =
      /^notifications of contact (.*) (on|off)(?: until (\S+))?$/s.exec(output) ?? [];
    if (state === undefined) return undefined;
    return { contact, enabled: state === "on", ...(until === undefined ? {} : { untilMs: Date.parse(until) }) };
  },
  lines: {
    ENABLE_CONTACT_HOST_NOTIFICATIONS: line(true),
    DISABLE_CONTACT_HOST_NOTIFICATIONS: line(false),
    ENABLE_CONTACT_SVC_NOTIFICATIONS: line(true),
    DISABLE_CONTACT_SVC_NOTIFICATIONS: line(false),
  },
});
