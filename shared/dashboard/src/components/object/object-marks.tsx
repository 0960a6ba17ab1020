import type { ReactNode } from "react";
import type { StatusItem } from "../../api/status/status-item.ts";
import { MarkIcon, type MarkName } from "../controls/mark-icon.tsx";

/** Short marks of an object: acknowledgement, downtime, suppression, flapping, switches, comments. */
export function ObjectMarks({ item: { row } }: { item: StatusItem }) {
  const ack = row.acknowledgement;
  const downtime = row.downtimes.find(({ inEffect }) => inEffect);
  const downtimeTitle =
    downtime === undefined ? "Downtime of the host" : `${downtime.author || "unknown"}: ${downtime.comment}`;
  return (
    <>
      {ack !== undefined && (
        <Mark icon="check" title={`${ack.author || "unknown"}: ${ack.comment}`}>
          {ack.sticky ? "ack sticky" : "ack"}
        </Mark>
      )}
      {row.inDowntime && (
        <Mark icon="pause" title={downtimeTitle}>
          downtime
        </Mark>
      )}
      {row.suppressedBy.length > 0 && (
        <Mark icon="below" title={`Suppressed by ${row.suppressedBy.join(", ")}`}>
          {row.suppressedBy[0]}
        </Mark>
      )}
      {row.flapping && (
        <Mark icon="wave" title="State changes are suppressed while flapping">
          flapping
        </Mark>
      )}
      {row.notificationsEnabled === false && (
        <Mark icon="muted" title="Notifications for this object are disabled">
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

/** True for a row that `ObjectMarks` has marks for. */
export const hasMarks = (row: StatusItem["row"]): boolean =>
  row.acknowledgement !== undefined ||
  row.inDowntime === true ||
  row.suppressedBy.length > 0 ||
  row.flapping === true ||
  row.notificationsEnabled === false ||
  row.comments.length > 0;

export function Mark({ icon, title, children }: { icon: MarkName; title: string; children: ReactNode }) {
  return (
    <span className="mark" title={title}>
      <MarkIcon name={icon} />
      {children}
    </span>
  );
}
