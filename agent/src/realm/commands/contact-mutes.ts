import type { CommandEffect } from "@realmwatch/shared/commands/commands";
import { contactToggleText } from "@realmwatch/shared/commands/set-contact-notifications";
import { type Author, authorFields, systemAuthor } from "@realmwatch/shared/model/author";
import type { ContactMute } from "@realmwatch/shared/model/catalog";
import type { RoundChanges } from "../loop/round-changes.ts";
import { muteOf, withMute } from "../state/contact-mutes.ts";
import type { RealmState } from "../state/realm-state.ts";

type MuteContext = {
  readonly realm: RealmState;
  readonly changes: RoundChanges;
  /** Queues the objects that may have a due notification for re-evaluation. */
  reevaluateNotifications(refs: Iterable<string>): void;
};

/** Change of a mute with its author, reason and time, Unix ms. */
type MuteChange = Pick<Extract<CommandEffect, { kind: "contact" }>, "contact" | "mute" | "comment"> & {
  readonly by: Author;
  readonly atMs: number;
};

/**
 * [TG4] Mutes a contact or ends its mute. A mute of a muted contact replaces it if its reason or end differs. [RE5] The
 * end of a mute re-evaluates the open problems.
 */
export function setMute({ realm, changes, reevaluateNotifications }: MuteContext, change: MuteChange): void {
  const { contact, mute, comment, by, atMs } = change;
  const before = muteOf(realm.program, contact);
  if (isSameMute(before, mute)) return;
  realm.program = withMute(realm.program, contact, mute);
  changes.programChanged = true;
  changes.history.push({
    ...{ atMs, type: "toggle", contact, output: contactToggleText(contact, mute), ...authorFields(by) },
    ...(comment === "" ? {} : { comment }),
  });
  if (mute === undefined) reevaluateNotifications(realm.records.keys());
}

const isSameMute = (one: ContactMute | undefined, other: ContactMute | undefined): boolean =>
  one === undefined || other === undefined
    ? one === other
    : one.comment === other.comment && one.untilMs === other.untilMs;

/** [TG5] Ends the mutes that are due. */
export function expireMutes(context: MuteContext, nowMs: number): void {
  for (const { contact, untilMs = Infinity } of context.realm.program.mutes)
    if (untilMs <= nowMs)
      setMute(context, { contact, mute: undefined, comment: "expired", by: systemAuthor, atMs: nowMs });
}
