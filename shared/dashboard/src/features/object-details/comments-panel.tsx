import { personText } from "@realmwatch/shared/view/person";
import { useBlockedReason } from "../../api/commands/command-availability.ts";
import { useObjectActions } from "../../api/commands/object-actions.ts";
import { optionalMs, type StatusItem } from "../../api/status/status-item.ts";
import { ActionButton } from "../../components/controls/action-button.tsx";
import { DateTime } from "../../components/time/time-text.tsx";

export function CommentsPanel({ item }: { item: StatusItem }) {
  const actions = useObjectActions();
  const blockedReason = useBlockedReason()(item.realm);
  if (item.row.comments.length === 0) return null;
  return (
    <section className="card panel">
      <h2>Comments</h2>
      <ul className="entries">
        {item.row.comments.map(({ id, text, at, ...given }) => (
          <li key={id}>
            <div>
              <blockquote>{text}</blockquote>
              <p className="muted">
                {personText(given) || "unknown"}, <DateTime atMs={optionalMs(at)} />
              </p>
            </div>
            <ActionButton tone="small" blockedReason={blockedReason} onClick={() => actions.deleteComment(item, id)}>
              Delete
            </ActionButton>
          </li>
        ))}
      </ul>
    </section>
  );
}
