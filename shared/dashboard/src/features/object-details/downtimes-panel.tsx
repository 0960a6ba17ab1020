import type { Downtime } from "@realmwatch/proto/svc/v1/query_pb";
import { useBlockedReason } from "../../api/commands/command-availability.ts";
import { useObjectActions } from "../../api/commands/object-actions.ts";
import { useNow } from "../../api/context/app-context.tsx";
import { optionalMs, type StatusItem } from "../../api/status/status-item.ts";
import { ActionButton } from "../../components/controls/action-button.tsx";
import { formatDowntimeKind, formatDowntimeState } from "../../components/object/format-downtime.ts";
import { formatTimeSpan } from "../../components/time/format-time-span.ts";
import { DateTime } from "../../components/time/time-text.tsx";

export function DowntimesPanel({ item }: { item: StatusItem }) {
  const actions = useObjectActions();
  const blockedReason = useBlockedReason()(item.realm);
  if (item.row.downtimes.length === 0) return null;
  return (
    <section className="panel">
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
  const { author, onBehalfOf, comment, inEffect } = downtime;
  return (
    <div>
      <p>
        <strong>{formatDowntimeState(downtime)}</strong> {formatDowntimeKind(downtime)}{" "}
        {author !== "" && (
          <span className="muted">
            by {author}
            {onBehalfOf !== "" && ` for ${onBehalfOf}`}
          </span>
        )}
      </p>
      <p>
        <DateTime atMs={optionalMs(downtime.start)} /> – <DateTime atMs={optionalMs(downtime.end)} />
      </p>
      {comment !== "" && <blockquote>{comment}</blockquote>}
      {inEffect && <Progress downtime={downtime} />}
    </div>
  );
}

/** Elapsed part of the downtime. */
function Progress({ downtime: { kind, start, end } }: { downtime: Downtime }) {
  const nowMs = useNow();
  const active = kind.case === "flexible" || kind.case === "triggered" ? kind.value : undefined;
  const fromMs = optionalMs(active?.activeFrom ?? start) ?? nowMs;
  const untilMs = optionalMs(active?.activeUntil ?? end) ?? nowMs;
  return (
    <p className="downtime-progress">
      <progress max={Math.max(1, untilMs - fromMs)} value={nowMs - fromMs} aria-label="Elapsed part of the downtime" />{" "}
      ends in {formatTimeSpan(untilMs - nowMs)}
    </p>
  );
}
