import type { Contact } from "@realmwatch/proto/svc/v1/query_pb";
import { setContactNotificationsCommand } from "@realmwatch/shared/commands/set-contact-notifications";
import { remainingSentences } from "@realmwatch/shared/view/remaining-recipients";
import { useState } from "react";
import { useCall } from "../../api/commands/use-call.ts";
import { useSetMute } from "../../api/contacts/use-set-mute.ts";
import { useAppContext, useNow, usePreference } from "../../api/context/app-context.tsx";
import { DialogForm } from "../../components/controls/dialog-form.tsx";
import { AuthorField, ChoiceField, CommentField, TextField } from "../../components/controls/form-fields.tsx";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { formatShortDateTime, formatZone } from "../../components/time/format-date-time.ts";
import { parseWallTime } from "../../components/time/wall-time.ts";
import { type MutePreset, mutePresets, presetEndMs } from "./time-range.ts";

const { words } = setContactNotificationsCommand;

/** Form to mute a contact, with the recipients that are left. */
export function MuteDialog({ contact }: { contact: Contact }) {
  const { dialog } = useAppContext();
  const setMute = useSetMute();
  const nowMs = useNow();
  const zone = usePreference("zone");
  const [comment, setComment] = useState("");
  const [preset, setPreset] = useState<MutePreset>("4h");
  const [typed, setTyped] = useState("");
  const { busy, error, run } = useCall();
  const untilMs = preset === "custom" ? parseWallTime(typed, nowMs, zone) : presetEndMs(preset, nowMs, zone);
  const noEnd = preset === "custom" && (untilMs === undefined || untilMs <= nowMs);
  const noReason = comment.trim() === "" ? "A reason is required: the next shift reads it." : undefined;
  const submit = async (): Promise<void> => {
    if (await run(() => setMute(contact, { comment, untilMs }))) dialog.set(undefined);
  };
  return (
    <DialogForm
      title={`Mute ${contact.name}${contact.realm === "" ? "" : ` in ${contact.realm}`}`}
      submit={words.action}
      problem={noReason ?? (noEnd ? "The end must be a time in the future." : undefined)}
      busy={busy}
      onSubmit={submit}
    >
      <Remaining contact={contact} />
      <CommentField value={comment} onChange={setComment} />
      <ChoiceField legend="Ends" choices={mutePresets} value={preset} onChange={setPreset} />
      {preset === "custom" && (
        <TextField label="End" hint="18:00, tomorrow 6:30, 2026-03-01 22:00 or +2h" value={typed} onChange={setTyped} />
      )}
      <p className="hint">
        {untilMs === undefined
          ? "The mute does not end by itself."
          : `Ends at ${formatShortDateTime(untilMs, nowMs, zone)}, ${formatZone(zone, untilMs)}; open problems are notified then.`}
      </p>
      <AuthorField />
      {error !== undefined && <FailureText error={error} what={`${contact.name} was not muted.`} />}
    </DialogForm>
  );
}

/** Recipients that are left while the contact is muted; nothing where the server does not say it. */
function Remaining({ contact: { name, remaining } }: { contact: Contact }) {
  if (remaining === undefined) return null;
  const sentences = remainingSentences(name, remaining);
  return (
    <div role="note" className={remaining.uncoveredPolicies > 0 ? "warning-text" : "muted"}>
      {sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </div>
  );
}
