import { ok } from "../model/result.ts";
import { declareCommand } from "./command-kind.ts";
import { malformed, missing } from "./resolve-target.ts";

type SetContactNotifications = {
  readonly contact: string;
  readonly enabled: boolean;
};

export const setContactNotificationsCommand = declareCommand("setContactNotifications", {
  kind: "set_contact_notifications",
  // [CM3] Clients of a plain proto3 `bool` leave `enabled` out when it is false.
  parse({ contact, enabled = false }, { realm }) {
    if (contact === "") return malformed("contact", "is required");
    if (!realm.plan.contacts.has(contact)) return missing("contact", `contact ${JSON.stringify(contact)}`);
    return ok({ contact, enabled });
  },
  effects: ({ contact, enabled }: SetContactNotifications) => [{ kind: "contact", contact, enabled }],
});
