import type { Status } from "@realmwatch/shared/model/status";
import "./status.css";
import { StatusIcon } from "./status-icon.tsx";

type StatusBadgeProps = {
  status: Status;
  /** Fades the badge. */
  handled?: boolean;
  /** Status of a realm that is not current: muted, and never green. */
  lastKnown?: boolean;
  /** Size for page headers. */
  large?: boolean;
};

/** Colour, shape and name of a status. */
export function StatusBadge({ status, handled = false, lastKnown = false, large = false }: StatusBadgeProps) {
  const classes = ["status-badge", handled && "is-handled", lastKnown && "is-last-known", large && "is-large"];
  return (
    <span
      className={classes.filter(Boolean).join(" ")}
      data-status={status}
      title={lastKnown ? "Last known: the realm is not current" : undefined}
    >
      <StatusIcon status={status} hollow={handled || lastKnown} />
      <span className="status-word">{status}</span>
      {lastKnown && <span className="visually-hidden">, last known</span>}
    </span>
  );
}
