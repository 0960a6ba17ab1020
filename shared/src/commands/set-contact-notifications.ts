import { fail, ok } from "../model/result.ts";
import { declareCommand } from "./command-kind.ts";
import { type CommandLine, commandLine, lineCommands } from "./command-line.ts";
import { malformed, missing } from "./resolve-target.ts";

type SetContactNotifications = {
  readonly contact: string;
  readonly enabled: boolean;
};

const line = (enabled: boolean): CommandLine<SetContactNotifications> =>
  commandLine(["contact"], ({ contact }, { realm }) =>
    realm.plan.contacts.has(contact)
      ? lineCommands([{ contact, enabled }])
      : fail(`contact ${JSON.stringify(contact)} does not exist`),
  );

export const setContactNotificationsCommand = declareCommand("setContactNotifications", {
  kind: "set_contact_notifications",
  // [CM3] Clients of a plain proto3 `bool` leave `enabled` out when it is false.
  parse({ contact, enabled = false }, { realm }) {
    if (contact === "") return malformed("contact", "is required");
    if (!realm.plan.contacts.has(contact)) return missing("contact", `contact ${JSON.stringify(contact)}`);
    return ok({ contact, enabled });
  },
  effects: ({ contact, enabled }: SetContactNotifications) => [{ kind: "contact", contact, enabled }],
  lines: {
    ENABLE_CONTACT_HOST_NOTIFICATIONS: line(true),
    DISABLE_CONTACT_HOST_NOTIFICATIONS: line(false),
    ENABLE_CONTACT_SVC_NOTIFICATIONS: line(true),
    DISABLE_CONTACT_SVC_NOTIFICATIONS: line(false),
  },
});
