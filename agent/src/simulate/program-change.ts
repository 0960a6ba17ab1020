import type { Command } from "@realmwatch/shared/commands/commands";
import { allProgramTogglesOn, type ProgramToggles } from "@realmwatch/shared/model/toggles";
import { toggleText } from "@realmwatch/shared/read-model/history/toggle-text";
import type { ProgramState } from "../realm/state/program-state.ts";

/** Change of a toggle of the whole realm, or of a contact's notifications. */
export type ProgramChange =
  | { readonly kind: "program"; readonly toggle: keyof ProgramToggles; readonly enabled: boolean }
  | { readonly kind: "contact"; readonly contact: string; readonly enabled: boolean };

const changes = new Map(
  (Object.keys(allProgramTogglesOn) as (keyof ProgramToggles)[]).flatMap((toggle) =>
    [true, false].map((enabled) => [toggleText(toggle, enabled), { kind: "program", toggle, enabled }] as const),
  ),
);

/** Parses the output of a realm's `toggle` history record; undefined for other texts. */
export function parseProgramChange(text: string): ProgramChange | undefined {
  const contact = /^notifications of contact (.*) (on|off)$/s.exec(text);
  if (contact === null) return changes.get(text);
  return { kind: "contact", contact: contact[1] ?? "", enabled: contact[2] === "on" };
}

/** The command that makes the change. */
export function programChangeCommand(change: ProgramChange): Command {
  const { enabled } = change;
  if (change.kind === "contact") return { kind: "set_contact_notifications", contact: change.contact, enabled };
  const { toggle } = change;
  return toggle === "notifications"
    ? { kind: "set_program_notifications", enabled }
    : { kind: "set_program_toggle", toggle, enabled };
}

/** Program state before the change. */
export function revertProgramChange(program: ProgramState, change: ProgramChange): ProgramState {
  if (change.kind === "program")
    return { ...program, toggles: { ...program.toggles, [change.toggle]: !change.enabled } };
  const others = program.disabledContacts.filter((name) => name !== change.contact);
  return { ...program, disabledContacts: change.enabled ? [...others, change.contact] : others };
}
