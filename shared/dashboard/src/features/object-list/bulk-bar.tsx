import { useBlockedReason } from "../../api/commands/command-availability.ts";
import { useObjectActions } from "../../api/commands/object-actions.ts";
import type { StatusItem } from "../../api/status/status-item.ts";
import { ActionButton } from "../../components/controls/action-button.tsx";
import type { Selection } from "../../components/table/selection.tsx";

/** What can be done with the selected rows; there only while some are. */
export function BulkBar({ items, selection }: { items: readonly StatusItem[]; selection: Selection }) {
  const actions = useObjectActions();
  const gate = useBlockedReason();
  const chosen = items.filter(({ id }) => selection.ids.has(id));
  if (chosen.length === 0) return null;
  // One open realm is enough: the others are left out when the command is opened, and named.
  const blockedBecause = chosen.some(({ realm }) => gate(realm) === undefined)
    ? undefined
    : gate(chosen[0]?.realm ?? "");
  return (
    <section className="bulk-bar" aria-label="Selected rows">
      <strong>{chosen.length} selected</strong>
      <ActionButton
        tone="primary"
        shortcut="a"
        blockedBecause={blockedBecause}
        onClick={() => actions.acknowledge(chosen)}
      >
        Acknowledge
      </ActionButton>
      <ActionButton shortcut="d" blockedBecause={blockedBecause} onClick={() => actions.downtime(chosen)}>
        Downtime
      </ActionButton>
      <ActionButton shortcut="r" blockedBecause={blockedBecause} onClick={() => actions.checkNow(chosen)}>
        Check now
      </ActionButton>
      <ActionButton tone="quiet" onClick={() => selection.set(new Set())}>
        Clear
      </ActionButton>
    </section>
  );
}
