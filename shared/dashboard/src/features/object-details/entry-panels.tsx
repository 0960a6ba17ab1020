import type { Downtime } from "@realmwatch/proto/svc/v1/query_pb";
import { personText } from "@realmwatch/shared/view/person";
import type { ReactNode } from "react";
import { useBlockedReason } from "../../api/commands/command-availability.ts";
import { useObjectActions } from "../../api/commands/object-actions.ts";
import { optionalMs, type StatusItem } from "../../api/status/status-item.ts";
import { ActionButton } from "../../components/controls/action-button.tsx";
import { DowntimeProgress } from "../../components/object/downtime-progress.tsx";
import { formatDowntimeKind, formatDowntimeState } from "../../components/object/format-downtime.ts";
import { DateTime } from "../../components/time/time-text.tsx";

export function CommentsPanel({ item }: { item: StatusItem }) {
  const { deleteComment } = useObjectActions();
  const entries = item.row.comments.map(({ id, text, at, ...given }) => ({
    id,
    shown: (
      <div>
        <blockquote>{text}</blockquote>
        <p className="muted">
          {personText(given) || "unknown"}, <DateTime atMs={optionalMs(at)} />
        </p>
      </div>
    ),
  }));
  return <EntryPanel title="Comments" entries={entries} item={item} onDelete={deleteComment} />;
}

export function DowntimesPanel({ item }: { item: StatusItem }) {
  const { deleteDowntime } = useObjectActions();
  const entries = item.row.downtimes.map((downtime) => ({
    id: downtime.id,
    shown: <DowntimeText downtime={downtime} />,
    ...(downtime.kind.case === "recurring" && {
      blockedReason: "Declared in the configuration, which is the only place to change it",
    }),
  }));
  return <EntryPanel title="Downtimes" entries={entries} item={item} onDelete={deleteDowntime} />;
}

type EntryPanelProps = {
  title: string;
  entries: readonly { readonly id: string; readonly shown: ReactNode; readonly blockedReason?: string }[];
  item: StatusItem;
  onDelete: (item: StatusItem, id: string) => void;
};

/** Entries of an object, each with a button that deletes it; empty without any. */
function EntryPanel({ title, entries, item, onDelete }: EntryPanelProps) {
  const blockedOfRealm = useBlockedReason()(item.realm);
  if (entries.length === 0) return null;
  return (
    <section className="card panel">
      <h2>{title}</h2>
      <ul className="entries">
        {entries.map(({ id, shown, blockedReason }) => (
          <li key={id}>
            {shown}
            <ActionButton
              tone="small"
              blockedReason={blockedOfRealm ?? blockedReason}
              onClick={() => onDelete(item, id)}
            >
              Delete
            </ActionButton>
          </li>
        ))}
      </ul>
    </section>
  );
}

function DowntimeText({ downtime }: { downtime: Downtime }) {
  const { author, comment, inEffect } = downtime;
  return (
    <div>
      <p>
        <strong>{formatDowntimeState(downtime)}</strong> {formatDowntimeKind(downtime)}{" "}
        {author !== "" && <span className="muted">by {personText(downtime)}</span>}
      </p>
      <p>
        <DateTime atMs={optionalMs(downtime.start)} /> – <DateTime atMs={optionalMs(downtime.end)} />
      </p>
      {comment !== "" && <blockquote>{comment}</blockquote>}
      {inEffect && (
        <p className="downtime-progress">
          <DowntimeProgress downtime={downtime} />
        </p>
      )}
    </div>
  );
}
