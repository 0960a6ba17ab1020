import { useBlockedReason } from "../../api/commands/command-availability.ts";
import { useObjectActions } from "../../api/commands/object-actions.ts";
import { optionalMs, type StatusItem } from "../../api/status/status-item.ts";
import { ActionButton } from "../../components/controls/action-button.tsx";
import { DateTime } from "../../components/time/time-text.tsx";
import { objectTexts } from "../../texts/object-texts.ts";

export function CommentsPanel({ item }: { item: StatusItem }) {
  const actions = useObjectActions();
  const blockedReason = useBlockedReason()(item.realm);
  if (item.row.comments.length === 0) return null;
  return (
    <section className="panel">
      <h2>{objectTexts.comments}</h2>
      <ul className="entries">
        {item.row.comments.map(({ id, author, onBehalfOf, text, at }) => (
          <li key={id}>
            <div>
              <blockquote>{text}</blockquote>
              <p className="muted">
                {author || objectTexts.unknown}
                {onBehalfOf !== "" && objectTexts.for(onBehalfOf)}, <DateTime atMs={optionalMs(at)} />
              </p>
            </div>
            <ActionButton tone="small" blockedReason={blockedReason} onClick={() => actions.deleteComment(item, id)}>
              {objectTexts.delete}
            </ActionButton>
          </li>
        ))}
      </ul>
    </section>
  );
}
