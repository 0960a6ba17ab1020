import { deleteDowntimeCommand } from "@realmwatch/shared/commands/delete-downtime";
import { counted } from "@realmwatch/shared/view/plural";
import { useState } from "react";
import { useDeleteChange } from "../../api/commands/use-delete-change.ts";
import type { DowntimeGroup } from "../../api/status/downtime-list.ts";
import { ActionButton } from "../../components/controls/action-button.tsx";

type DeleteDowntimeProps = { group: DowntimeGroup; blockedReason: string | undefined };

/** Deletes the downtimes of a change by one call, after a second press; one of the configuration has a note instead. */
export function DeleteDowntime({ group, blockedReason }: DeleteDowntimeProps) {
  const deleteChange = useDeleteChange();
  const [asked, setAsked] = useState(false);
  if (group.kind === "recurring") return <span className="muted">of the configuration</span>;
  const remove = (): void => {
    setAsked(false);
    void deleteChange(group, deleteDowntimeCommand.words.noun);
  };
  const count = group.parts.length;
  if (!asked)
    return (
      <ActionButton tone="small" blockedReason={blockedReason} onClick={() => setAsked(true)}>
        Delete
      </ActionButton>
    );
  return (
    <span className="delete-question">
      <ActionButton tone="primary" blockedReason={blockedReason} onClick={remove}>
        {count === 1 ? "Delete it" : `Delete ${counted(count, "downtime")}`}
      </ActionButton>
      <ActionButton tone="quiet" onClick={() => setAsked(false)}>
        Keep
      </ActionButton>
    </span>
  );
}
