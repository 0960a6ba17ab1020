import type { Downtime } from "@realmwatch/proto/svc/v1/query_pb";
import { personText } from "@realmwatch/shared/view/person";
import { useBlockedReason } from "../../api/commands/command-availability.ts";
import { useObjectActions } from "../../api/commands/object-actions.ts";
import { optionalMs, type StatusItem } from "../../api/status/status-item.ts";
import { ActionButton } from "../../components/controls/action-button.tsx";
import { DowntimeProgress } from "../../components/object/downtime-progress.tsx";
import { formatDowntimeKind, formatDowntimeState } from "../../components/object/format-downtime.ts";
import { DateTime } from "../../components/time/time-text.tsx";

export function DowntimesPanel({ item }: { item: StatusItem }) {
  const actions = useObjectActions();
  const blockedReason = useBlockedReason()(item.realm);
  if (item.row.downtimes.length === 0) return null;
  return (
    <section className="card panel">
      <h2>Downtimes</h2>
      <ul className="entries">
        {item.row.downtimes.map((downtime) => {
          const recurring =
            downtime.kind.case === "recurring"
              ? "Declared in the configuration, which is the only place to change it"
              : undefined;
          return (
            <li key={downtime.id}>
              <DowntimeText downtime={downtime} />
              <ActionButton
                tone="small"
                blockedReason={blockedReason ?? recurring}
                onClick={() => actions.deleteDowntime(item, downtime.id)}
              >
                Delete
              </ActionButton>
            </li>
          );
        })}
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
