import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { StatusRow } from "@realmwatch/proto/svc/v1/query_pb";
import { acknowledgeProblemCommand } from "@realmwatch/shared/commands/acknowledge-problem";
import { isProblem } from "@realmwatch/shared/model/status";
import { counted } from "@realmwatch/shared/view/plural";
import { statusNameOf } from "@realmwatch/shared/view/row-status";
import { useState } from "react";
import { useSendBulk } from "../../api/commands/use-send-bulk.ts";
import { useNow, usePreference } from "../../api/context/app-context.tsx";
import { optionalMs, type StatusItem } from "../../api/status/status-item.ts";
import { ActionButton } from "../../components/controls/action-button.tsx";
import { AuthorField, CheckField, ChoiceField, CommentField } from "../../components/controls/form-fields.tsx";
import { formatZone } from "../../components/time/format-date-time.ts";
import { useShortTime } from "../../components/time/time-text.tsx";
import { CommandForm } from "./command-form.tsx";
import { countMessages, countUnnamed, manyMessages, recipientsOf } from "./recipients.ts";
import { type ExpiryPreset, expiryPresets, presetEndMs } from "./time-range.ts";
import { useConsequences } from "./use-consequences.ts";

const { words } = acknowledgeProblemCommand;

type AcknowledgeDialogProps = { targets: readonly StatusItem[]; note?: string | undefined };

/** Form to acknowledge problems; `note` is shown above it. */
export function AcknowledgeDialog({ targets: chosen, note }: AcknowledgeDialogProps) {
  const { send, run } = useSendBulk(true);
  const nowMs = useNow();
  const zone = usePreference("zone");
  const author = usePreference("author");
  const [comment, setComment] = useState("");
  const [sticky, setSticky] = useState(false);
  const [notify, setNotify] = useState(true);
  const [expiry, setExpiry] = useState<ExpiryPreset>("never");
  const [withBehind, setWithBehind] = useState(false);
  const behind = useConsequences(chosen, withBehind);
  const targets = withBehind && behind.items !== undefined ? [...chosen, ...behind.items] : chosen;
  const expiresAtMs = presetEndMs(expiry, nowMs, zone);
  const form = {
    label: words.noun,
    entered: { sticky, notify, author, comment, expiry, withBehind },
    command: () => {
      const expires = expiresAtMs === undefined ? {} : { expiresAt: timestampFromMs(expiresAtMs) };
      return { case: "acknowledgeProblem", value: { sticky, notify, author, comment, ...expires } } as const;
    },
    effectRows: "problems" as const,
    selected: withBehind ? { selector: behind.selector, ids: new Set(behind.items?.map(({ id }) => id)) } : undefined,
    hasEffect: (row: StatusItem["row"] | undefined, { row: before }: StatusItem) =>
      row === undefined || !isProblem(statusNameOf(row.status)) || isNewAcknowledgement(row, before, comment),
  };
  const noComment =
    comment.trim() === "" ? "A comment is required: who works on the problem, or why it can wait." : undefined;
  const problem = withBehind && behind.items === undefined ? "The objects behind it are being read." : noComment;
  return (
    <CommandForm
      title={words.title(targets.length)}
      targets={targets}
      submit={words.action}
      problem={problem}
      send={(items) => send(items, form)}
      run={run}
    >
      {note !== undefined && <p role="note">{note}</p>}
      <CommentField value={comment} onChange={setComment} />
      <CommentTemplates onChoose={setComment} />
      {behind.count > 0 && (
        <CheckField
          label={`And the ${counted(behind.count, "object")} behind ${chosen.length === 1 ? "it" : "them"}`}
          hint="What is unreachable or suppressed because of it is acknowledged too, so that it stays handled afterwards."
          checked={withBehind}
          onChange={setWithBehind}
        />
      )}
      <CheckField label="Sticky" hint={words.fields.sticky} checked={sticky} onChange={setSticky} />
      <CheckField label="Notify" hint={words.fields.notify} checked={notify} onChange={setNotify} />
      {notify && <RecipientList targets={targets} />}
      <ChoiceField legend="Expires" choices={expiryPresets} value={expiry} onChange={setExpiry} />
      {expiresAtMs !== undefined && <ExpiryText atMs={expiresAtMs} />}
      <AuthorField />
    </CommandForm>
  );
}

function ExpiryText({ atMs }: { atMs: number }) {
  const shortTime = useShortTime();
  const zone = usePreference("zone");
  return (
    <p className="hint">
      Expires at {shortTime(atMs)}, {formatZone(zone, atMs)}; the problem is then unhandled again.
    </p>
  );
}

/** True when a row has an acknowledgement with this comment that it did not have before. */
function isNewAcknowledgement({ acknowledgement }: StatusRow, before: StatusRow, comment: string): boolean {
  if (acknowledgement?.comment !== comment) return false;
  return optionalMs(acknowledgement.at) !== optionalMs(before.acknowledgement?.at);
}

/** Contacts that an acknowledgement notifies; above ten messages as a warning with the number for each contact. */
function RecipientList({ targets }: { targets: readonly StatusItem[] }) {
  const recipients = recipientsOf(targets);
  const messages = countMessages(recipients);
  const unnamed = countUnnamed(targets);
  if (messages === 0)
    return (
      <p className="hint">
        No contact was notified of these problems
        {unnamed === 0
          ? ", and none is notified now: no policy applies."
          : " so far. Notifies the current escalation level."}
      </p>
    );
  const others =
    unnamed === 0 ? "" : ` and, for ${counted(unnamed, "problem")}, an escalation level that was not notified so far`;
  if (messages <= manyMessages)
    return (
      <p className="hint">
        Notifies {recipients.map(({ contact }) => contact).join(", ")}
        {others}.
      </p>
    );
  return (
    <p className="callout" role="note">
      <strong>{messages} messages</strong> will be sent:{" "}
      {recipients.map(({ contact, messages: own }) => `${contact} ${own}`).join(", ")}
      {others}. Turn Notify off to send none.
    </p>
  );
}

const templates = [
  "I am working on it",
  "Known, the repair is scheduled",
  "Reported to the vendor",
  "Expected after a change",
] as const;

/** Texts for the comment of an acknowledgement, to be completed. */
function CommentTemplates({ onChoose }: { onChoose: (text: string) => void }) {
  return (
    <fieldset className="wrapped templates">
      <legend className="visually-hidden">Templates</legend>
      {templates.map((text) => (
        <ActionButton key={text} tone="small" onClick={() => onChoose(text)}>
          {text}
        </ActionButton>
      ))}
    </fieldset>
  );
}
