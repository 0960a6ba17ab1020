import { useState } from "react";
import { useCommandClient } from "../../api/commands/command-availability.ts";
import { useSendWithNotices } from "../../api/commands/use-send.ts";
import { useAppContext } from "../../api/context/app-context.tsx";
import type { DowntimeGroup } from "../../api/status/downtime-list.ts";
import { ActionButton } from "../../components/controls/action-button.tsx";

type DeleteDowntimeProps = { group: DowntimeGroup; blockedReason: string | undefined };

/** Deletes the downtimes of a group, after a second press; one of the configuration has a note instead. */
export function DeleteDowntime({ group, blockedReason }: DeleteDowntimeProps) {
  const { preferences } = useAppContext();
  const commands = useCommandClient();
  const send = useSendWithNotices();
  const [asked, setAsked] = useState(false);
  if (group.kind === "recurring") return <span className="muted">of the configuration</span>;
  const idByObject = new Map(group.parts.map(({ id, item }) => [item.id, id]));
  const remove = (): void => {
    setAsked(false);
    const items = group.parts.map(({ item }) => item);
    void send(items, {
      label: "deletion of the downtime",
      async send(item) {
        const downtimeId = idByObject.get(item.id) ?? "";
        await commands.deleteDowntime(item.realm, { downtimeId, author: preferences.get().author });
        return (row) => row.downtimes.every(({ id }) => id !== downtimeId);
      },
    });
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
        {count === 1 ? "Delete it" : `Delete ${count} downtimes`}
      </ActionButton>
      <ActionButton tone="quiet" onClick={() => setAsked(false)}>
        Keep
      </ActionButton>
    </span>
  );
}
