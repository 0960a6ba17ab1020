import type { ReactNode } from "react";
import type { StatusItem } from "../../api/status/status-item.ts";
import { MarkIcon, type MarkName } from "../controls/mark-icon.tsx";

/** Why a row is quiet, in a word or two each; the title says more. */
export function ObjectMarks({ item: { row } }: { item: StatusItem }) {
  const ack = row.acknowledgement;
  const downtime = row.downtimes.find(({ inEffect }) => inEffect);
  const downtimeTitle =
    downtime === undefined ? "Downtime of its host" : `${downtime.author || "somebody"}: ${downtime.comment}`;
  return (
    <>
      {ack !== undefined && (
        <Mark icon="check" title={`${ack.author || "somebody"}: ${ack.comment}`}>
          {ack.sticky ? "ack sticky" : "ack"}
        </Mark>
      )}
      {row.inDowntime && (
        <Mark icon="pause" title={downtimeTitle}>
          downtime
        </Mark>
      )}
      {row.suppressedBy.length > 0 && (
        <Mark icon="below" title={`Kept quiet by ${row.suppressedBy.join(", ")}`}>
          {row.suppressedBy[0]}
        </Mark>
      )}
      {row.flapping && (
        <Mark icon="wave" title="The state changes too often to tell each change">
          flapping
        </Mark>
      )}
      {row.notificationsEnabled === false && (
        <Mark icon="muted" title="Notifications of this object are switched off">
          muted
        </Mark>
      )}
      {row.comments.length > 0 && (
        <Mark icon="pen" title={row.comments.at(-1)?.text ?? ""}>
          {row.comments.length}
          <span className="visually-hidden"> comments</span>
        </Mark>
      )}
    </>
  );
}

export function Mark({ icon, title, children }: { icon: MarkName; title: string; children: ReactNode }) {
  return (
    <span className="mark" title={title}>
      <MarkIcon name={icon} />
      {children}
    </span>
  );
}
