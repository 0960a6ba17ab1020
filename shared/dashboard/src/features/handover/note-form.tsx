import { addNoteCommand } from "@realmwatch/shared/commands/add-note";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useBlockedReason, useCommandClient } from "../../api/commands/command-availability.ts";
import { useCall } from "../../api/commands/use-call.ts";
import { useAppContext, usePreference } from "../../api/context/app-context.tsx";
import { addNotice } from "../../api/context/notice.ts";
import { AuthorField, TextField } from "../../components/controls/form-fields.tsx";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import "./note-form.css";

const { words } = addNoteCommand;
/** Time after which an accepted note is in the history at the latest, unless the realm is held up, ms. */
const recordedWithinMs = 3_000;

/** Adds a note to the shift log of a realm; of the server itself without one. */
export function NoteForm({ realm }: { realm: string }) {
  const { notices, clock } = useAppContext();
  const author = usePreference("author");
  const commands = useCommandClient();
  const queryClient = useQueryClient();
  const [text, setText] = useState("");
  const { busy, error, run } = useCall();
  const blocked = useBlockedReason()(realm);
  if (blocked !== undefined) return <p className="muted no-print">Notes cannot be added. {blocked}.</p>;
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (text.trim() === "" || busy) return;
    if (await run(() => commands.addNote(realm, { text, author }))) {
      addNotice(notices, "done", `Accepted: ${words.noun}`);
      setText("");
    }
    refresh();
    const stop = clock.every(recordedWithinMs, () => {
      stop();
      refresh();
    });
  };
  const refresh = (): void => void queryClient.invalidateQueries({ queryKey: ["handover"] });
  return (
    <form className="line-form note-form no-print" onSubmit={(event) => void submit(event)}>
      <TextField
        label={`Note for the next shift${realm === "" ? "" : ` of ${realm}`}`}
        value={text}
        onChange={setText}
      />
      <AuthorField />
      <button type="submit" className="button is-primary" disabled={busy || text.trim() === ""}>
        {words.action}
      </button>
      {error !== undefined && <FailureText error={error} what="The note was not added." />}
    </form>
  );
}
