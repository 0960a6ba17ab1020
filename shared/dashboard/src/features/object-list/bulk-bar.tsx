import { useBlockedReason } from "../../api/commands/command-availability.ts";
import { useObjectActions } from "../../api/commands/object-actions.ts";
import { ActionButton } from "../../components/controls/action-button.tsx";
import type { Selection } from "../../components/table/selection.tsx";

/** Maximum number of objects of one comment: each needs a call of its own. */
const maxCommented = 200;

/** Commands for the selected rows; hidden while there are none. */
export function BulkBar({ selection }: { selection: Selection }) {
  const actions = useObjectActions();
  const blockedReasonOf = useBlockedReason();
  const chosen = [...selection.items.values()];
  if (chosen.length === 0) return null;
  // One realm with available commands is enough: the action skips objects of the others, with a notice.
  const blockedReason = chosen.some(({ realm }) => blockedReasonOf(realm) === undefined)
    ? undefined
    : blockedReasonOf(chosen[0]?.realm ?? "");
  return (
    <section className="bulk-bar" aria-label="Selected rows">
      <strong>{chosen.length} selected</strong>
      <ActionButton
        tone="primary"
        shortcut="a"
        blockedReason={blockedReason}
        onClick={() => actions.acknowledge(chosen)}
      >
        Acknowledge
      </ActionButton>
      <ActionButton shortcut="d" blockedReason={blockedReason} onClick={() => actions.downtime(chosen)}>
        Downtime
      </ActionButton>
      <ActionButton
        shortcut="c"
        blockedReason={
          blockedReason ??
          (chosen.length > maxCommented ? `A comment is possible for up to ${maxCommented}` : undefined)
        }
        onClick={() => actions.comment(chosen)}
      >
        Comment
      </ActionButton>
      <ActionButton shortcut="r" blockedReason={blockedReason} onClick={() => actions.checkNow(chosen)}>
        Check now
      </ActionButton>
      <ActionButton tone="quiet" onClick={() => selection.set([])}>
        Clear
      </ActionButton>
    </section>
  );
}
