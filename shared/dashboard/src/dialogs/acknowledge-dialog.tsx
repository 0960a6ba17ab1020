import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { useState } from "react";
import type { StatusItem } from "../api/status-item.ts";
import { targetOf } from "../commands/object-actions.ts";
import { useCommands } from "../commands/realm-gate.ts";
import { useNow, usePreference } from "../services/services.tsx";
import { isProblem, wordOf } from "../status/status-word.ts";
import { showShortInstant, showZone } from "../time/instant.ts";
import { CommandForm } from "./command-form.tsx";
import { DialogFrame } from "./dialog-frame.tsx";
import { AuthorField, CheckField, Choices, CommentField } from "./fields.tsx";
import { type ExpiryPreset, endOf, expiryPresets } from "./time-span.ts";

export function AcknowledgeDialog({ targets }: { targets: readonly StatusItem[] }) {
  const commands = useCommands();
  const nowMs = useNow();
  const zone = usePreference("zone");
  const author = usePreference("author");
  const [comment, setComment] = useState("");
  const [sticky, setSticky] = useState(false);
  const [notify, setNotify] = useState(true);
  const [expiry, setExpiry] = useState<ExpiryPreset>("never");
  const expiresAtMs = endOf(expiry, nowMs, zone);
  const order = {
    what: "acknowledgement",
    async send(item: StatusItem) {
      const expires = expiresAtMs === undefined ? {} : { expiresAt: timestampFromMs(expiresAtMs) };
      await commands.acknowledge(item.realm, { target: targetOf(item), sticky, notify, author, comment, ...expires });
      return (row: StatusItem["row"]) => row.acknowledgement?.comment === comment || !isProblem(wordOf(row.status));
    },
  };
  const problem = comment.trim() === "" ? "Say in a comment who looks after it, or why it can wait." : undefined;
  return (
    <DialogFrame title={targets.length === 1 ? "Acknowledge problem" : `Acknowledge ${targets.length} problems`}>
      <CommandForm targets={targets} submit="Acknowledge" problem={problem} order={order}>
        <CommentField value={comment} onChange={setComment} required />
        <CheckField
          label="Sticky"
          hint="Holds until recovery. Otherwise any change of status ends it."
          checked={sticky}
          onChange={setSticky}
        />
        <CheckField
          label="Notify"
          hint="Tells those who were last notified that somebody is on it."
          checked={notify}
          onChange={setNotify}
        />
        <Choices legend="Expires" choices={expiryPresets} value={expiry} onChange={setExpiry} />
        {expiresAtMs !== undefined && (
          <p className="hint">
            Ends at {showShortInstant(expiresAtMs, nowMs, zone)}, {showZone(zone, expiresAtMs)}; the problem is then
            open again.
          </p>
        )}
        <AuthorField />
      </CommandForm>
    </DialogFrame>
  );
}
