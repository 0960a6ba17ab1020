import type { CommandEffect } from "@realmwatch/shared/commands/commands";
import { noAuthor } from "@realmwatch/shared/model/author";
import { withMute } from "../realm/state/contact-mutes.ts";
import type { ProgramState } from "../realm/state/program-state.ts";

/** Program state before an effect of a command. Author, reason and end of a mute that it ended are not known. */
export function revertEffect(program: ProgramState, effect: CommandEffect): ProgramState {
  if (effect.kind === "program")
    return { ...program, toggles: { ...program.toggles, [effect.toggle]: !effect.enabled } };
  if (effect.kind !== "contact") return program;
  const { contact, mute } = effect;
  const ended = { contact, ...noAuthor, comment: "", atMs: 0, untilMs: undefined };
  return withMute(program, contact, mute === undefined ? ended : undefined);
}
