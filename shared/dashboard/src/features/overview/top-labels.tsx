import type { LabelCount } from "@realmwatch/proto/svc/v1/query_pb";
import { statusNameOf } from "@realmwatch/shared/view/row-status";
import { Link } from "@tanstack/react-router";
import { useLabelCounts } from "../../api/status/use-summary.ts";
import { formatNumber } from "../../components/time/format-number.ts";
import { groupLabels, type LabelGroup } from "./label-groups.ts";
import "./top-labels.css";

/** Labels that most unhandled problems have, by key. Each number links to a list of that length. */
export function TopLabels() {
  const groups = groupLabels(useLabelCounts() ?? []);
  if (groups.length === 0) return null;
  return (
    <section className="panel-table top-labels" aria-label="Unhandled problems by label">
      <h2>Unhandled problems by label</h2>
      <div className="label-groups">
        {groups.map((group) => (
          <LabelCard key={group.key} group={group} />
        ))}
      </div>
    </section>
  );
}

function LabelCard({ group: { key, values } }: { group: LabelGroup }) {
  const largest = values[0]?.count ?? 1;
  return (
    <div className="card label-group">
      <h3>{key}</h3>
      <ul>
        {values.map((label) => (
          <LabelLine key={label.value} label={label} largest={largest} />
        ))}
      </ul>
    </div>
  );
}

function LabelLine({ label, largest }: { label: LabelCount; largest: number }) {
  const { key, value, count, lastKnown, worst } = label;
  return (
    <li>
      <Link
        to="/"
        search={{ q: `${key}=${value}` }}
        className="label-line"
        data-status={count > lastKnown ? statusNameOf(worst) : undefined}
      >
        <span className="label-value">{value}</span>
        <span className="label-count">
          {formatNumber(count - lastKnown)}
          {lastKnown > 0 && <span className="muted"> + {formatNumber(lastKnown)} last known</span>}
        </span>
        <span className="visually-hidden">
          {" "}
          {count} unhandled problems with {key}={value}
        </span>
        <meter className="label-share" min={0} max={largest} value={count} aria-hidden="true" />
      </Link>
    </li>
  );
}
