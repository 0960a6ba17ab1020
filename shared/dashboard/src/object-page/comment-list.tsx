import { optionalMs, type StatusItem } from "../api/status-item.ts";
import { useObjectActions } from "../commands/object-actions.ts";
import { useGate } from "../commands/realm-gate.ts";
import { ActionButton } from "../parts/action-button.tsx";
import { Instant } from "../time/time-text.tsx";

export function CommentList({ item }: { item: StatusItem }) {
  const actions = useObjectActions();
  const closed = useGate()(item.realm);
  if (item.row.comments.length === 0) return null;
  return (
    <section className="panel">
      <h2>Comments</h2>
      <ul className="entries">
        {item.row.comments.map(({ id, author, onBehalfOf, text, at }) => (
          <li key={id}>
            <div>
              <blockquote>{text}</blockquote>
              <p className="muted">
                {author || "somebody"}
                {onBehalfOf !== "" && ` for ${onBehalfOf}`}, <Instant atMs={optionalMs(at)} />
              </p>
            </div>
            <ActionButton tone="small" blockedBecause={closed} onClick={() => actions.deleteComment(item, id)}>
              Delete
            </ActionButton>
          </li>
        ))}
      </ul>
    </section>
  );
}
