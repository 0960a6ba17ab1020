import type { ContactMute } from "@realmwatch/shared/model/catalog";
import type { ProgramState } from "./program-state.ts";

export const muteOf = ({ mutes }: Pick<ProgramState, "mutes">, contact: string): ContactMute | undefined =>
  mutes.find((mute) => mute.contact === contact);

/** Program state in which a contact has this mute, or none. */
export function withMute(program: ProgramState, contact: string, mute: ContactMute | undefined): ProgramState {
  const others = program.mutes.filter((one) => one.contact !== contact);
  return { ...program, mutes: mute === undefined ? others : [...others, mute] };
}

/** Time at which the next mute ends, Unix ms; Infinity when none will end by itself. */
export const nextMuteEndMs = ({ mutes }: Pick<ProgramState, "mutes">): number =>
  mutes.reduce((next, { untilMs = Infinity }) => Math.min(next, untilMs), Infinity);
