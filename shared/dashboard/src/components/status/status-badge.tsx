import "./status.css";
import type { StatusName } from "../../api/status/status-name.ts";
import { StatusIcon } from "./status-icon.tsx";

/** Colour, shape and name of a status. `handled` fades it; `large` is for page headers. */
export function StatusBadge({
  status,
  handled = false,
  large = false,
}: {
  status: StatusName;
  handled?: boolean;
  large?: boolean;
}) {
  return (
    <span className={`status-badge ${handled ? "is-handled" : ""} ${large ? "is-large" : ""}`} data-status={status}>
      <StatusIcon status={status} hollow={handled} />
      <span className="status-word">{status}</span>
    </span>
  );
}
