import type { Status } from "@realmwatch/shared/model/status";

/** Icon with one shape per status, so that colour is not the only cue. Hollow for a handled problem. */
export function StatusIcon({ status, hollow = false }: { status: Status; hollow?: boolean }) {
  return (
    <svg
      className={`status-icon ${hollow ? "is-hollow" : ""}`}
      viewBox="0 0 16 16"
      aria-hidden="true"
      focusable="false"
    >
      {shapes[status]}
    </svg>
  );
}

const shapes: Readonly<Record<Status, React.ReactNode>> = {
  ok: <circle className="shape" cx="8" cy="8" r="5.5" />,
  warning: <path className="shape" d="M8 2.2 14.4 13.6H1.6Z" />,
  critical: <rect className="shape" x="2.5" y="2.5" width="11" height="11" rx="1.5" />,
  unknown: <path className="shape is-line" d="M4.6 5.4A3.4 3.4 0 1 1 9.7 8.3C8.4 9 8 9.6 8 10.6M8 14v.1" />,
  pending: <circle className="shape is-always-hollow" cx="8" cy="8" r="5.3" />,
  unreachable: <path className="shape is-line" d="m3.5 3.5 9 9m0-9-9 9" />,
};
