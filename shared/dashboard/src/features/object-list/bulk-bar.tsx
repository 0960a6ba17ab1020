import { useBlockedReason } from "../../api/commands/command-availability.ts";
import { maxCommentTargets, objectCommands, useObjectActions } from "../../api/commands/object-actions.ts";
import { ActionButton } from "../../components/controls/action-button.tsx";
import type { Selection } from "../../components/table/selection.tsx";

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
  const tooMany =
    chosen.length > maxCommentTargets ? `A comment is possible for up to ${maxCommentTargets}` : undefined;
  return (
    <section className="wrapped bulk-bar" aria-label="Selected rows">
      <strong>{chosen.length} selected</strong>
      {objectCommands.map(({ key, words, action }) => (
        <ActionButton
          key={key}
          tone={action === "acknowledge" ? "primary" : "plain"}
          shortcut={key}
          blockedReason={blockedReason ?? (action === "comment" ? tooMany : undefined)}
          onClick={() => actions[action](chosen)}
        >
          {words.action}
        </ActionButton>
      ))}
      <ActionButton tone="quiet" onClick={() => selection.set([])}>
        Clear
      </ActionButton>
    </section>
  );
}
