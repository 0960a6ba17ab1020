import type { Contact } from "@realmwatch/proto/svc/v1/query_pb";
import { useState } from "react";
import { useBlockedReason } from "../../api/commands/command-availability.ts";
import { useFailureNotice } from "../../api/commands/use-failure-notice.ts";
import { useSetMute } from "../../api/contacts/use-set-mute.ts";
import { useAppContext } from "../../api/context/app-context.tsx";
import { optionalMs } from "../../api/status/status-item.ts";
import { ActionButton } from "../../components/controls/action-button.tsx";
import { MuteText } from "../../components/object/mute-text.tsx";

/**
 * Notifications of a contact: on, with a button that opens the dialog to mute it, or its mute, with one that undoes it.
 * Until the contact's row follows, the mute is marked as pending and the button ignores presses.
 */
export function MuteCell({ contact }: { contact: Contact }) {
  const { dialog } = useAppContext();
  const { isPending, undo } = useUndo(contact);
  const blockedReason = useBlockedReason()(contact.realm);
  const isMuted = contact.notificationsEnabled === false;
  const name = `${contact.name}${contact.realm === "" ? "" : ` in ${contact.realm}`}`;
  const act = (): void => {
    if (!isMuted) dialog.set({ kind: "mute", contact });
    else if (!isPending) void undo();
  };
  return (
    <span className="wrapped mute-cell">
      <span>{isMuted ? <MuteText contact={contact} /> : "on"}</span>
      {isPending && <span className="pending-mark">unmuting</span>}
      <ActionButton tone="small" blockedReason={blockedReason} onClick={act}>
        {isMuted ? "Unmute" : "Mute"}
        <span className="visually-hidden"> {name}</span>
      </ActionButton>
    </span>
  );
}

function useUndo(contact: Contact) {
  const setMute = useSetMute();
  const failed = useFailureNotice();
  /** Start of the mute that is being undone; a mute of an earlier agent has none. */
  const [undone, setUndone] = useState<{ readonly atMs: number | undefined }>();
  const atMs = optionalMs(contact.mutedAt);
  const isPending = contact.notificationsEnabled === false && undone !== undefined && undone.atMs === atMs;
  const undo = async (): Promise<void> => {
    setUndone({ atMs });
    try {
      await setMute(contact, undefined);
    } catch (error) {
      setUndone(undefined);
      failed(`${contact.name} could not be unmuted`, error);
    }
  };
  return { isPending, undo };
}
