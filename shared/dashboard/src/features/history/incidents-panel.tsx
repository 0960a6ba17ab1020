import { useQuery } from "@connectrpc/connect-query";
import type { HistoryRecord } from "@realmwatch/proto/svc/v1/query_pb";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { never } from "@realmwatch/shared/model/never";
import { objectKeyToProto } from "@realmwatch/shared/wire/fields/object-ref";
import { useMemo } from "react";
import { useNow, usePreference } from "../../api/context/app-context.tsx";
import type { StatusItem } from "../../api/status/status-item.ts";
import { useHistoryPollMs } from "../../api/status/use-history-poll.ts";
import { DecisionText } from "../../components/object/decision-text.tsx";
import { notificationKindText } from "../../components/object/notification-kind-text.ts";
import { StatusBadge } from "../../components/status/status-badge.tsx";
import {
  formatClockTime,
  formatDateTime,
  formatNearDateTime,
  isoInstant,
} from "../../components/time/format-date-time.ts";
import { formatTimeSpan } from "../../components/time/format-time-span.ts";
import { foldIncidents, type Incident, type IncidentDelivery, type IncidentStep } from "./incidents.ts";
import { RecordText, RecordTypeMark } from "./record-text.tsx";
import "../../components/object/word.css";
import "./incidents.css";

/** Newest records that are folded into incidents. */
const foldedRecords = 300;
/** Incidents that are listed. */
const shownIncidents = 5;

/** Last incidents of an object, each with its steps in order; empty when there was none. */
export function IncidentsPanel({ item }: { item: StatusItem }) {
  const { data } = useQuery(
    QueryService.method.listHistory,
    { realm: item.realm, object: objectKeyToProto(item.key), pageSize: foldedRecords },
    { refetchInterval: useHistoryPollMs(item.row) },
  );
  const records = data?.records;
  const incidents = useMemo(() => foldIncidents(records ?? noRecords), [records]);
  if (incidents.length === 0) return null;
  return (
    <section className="card panel" aria-labelledby="incidents-title">
      <h2 id="incidents-title">Incidents</h2>
      <div className="incidents">
        {incidents.slice(0, shownIncidents).map((incident, at) => (
          <details key={incident.id} className="incident" open={at === 0}>
            <IncidentSummary incident={incident} />
            <ol className="incident-steps">
              {incident.steps.map((step) => (
                <Step key={step.id} step={step} fromMs={incident.fromMs} item={item} />
              ))}
            </ol>
          </details>
        ))}
      </div>
    </section>
  );
}

const noRecords: readonly HistoryRecord[] = [];

function IncidentSummary({ incident: { fromMs, toMs, worst, softOnly, isCut } }: { incident: Incident }) {
  const nowMs = useNow();
  const zone = usePreference("zone");
  return (
    <summary>
      <StatusBadge status={worst} handled={toMs !== undefined} />
      <span className="incident-time">
        {isCut && "before "}
        {formatNearDateTime(fromMs, nowMs, zone)}
        {toMs !== undefined && ` – ${formatNearDateTime(toMs, fromMs, zone)}`}
      </span>
      <span className="muted">
        {toMs === undefined ? `for ${formatTimeSpan(nowMs - fromMs)}` : `lasted ${formatTimeSpan(toMs - fromMs)}`}
        {softOnly && ", soft only"}
      </span>
    </summary>
  );
}

function Step({ step, fromMs, item }: { step: IncidentStep; fromMs: number; item: StatusItem }) {
  const zone = usePreference("zone");
  return (
    <li className={`step is-${step.kind}`} data-status={step.kind === "state" ? step.status : undefined}>
      <time dateTime={isoInstant(step.atMs)} title={formatDateTime(step.atMs, zone)}>
        {formatClockTime(step.atMs, zone)}
      </time>
      <span className="step-after muted" title="Time since the beginning">
        {step.atMs > fromMs ? `+${formatTimeSpan(step.atMs - fromMs)}` : ""}
      </span>
      <div className="step-text">
        <StepText step={step} item={item} />
      </div>
    </li>
  );
}

function StepText({ step, item }: { step: IncidentStep; item: StatusItem }) {
  switch (step.kind) {
    case "state":
      return (
        <>
          <StatusBadge status={step.status} />{" "}
          {step.soft !== undefined && (
            <span className="muted">
              {step.soft.first === step.soft.last
                ? `soft, attempt ${step.soft.first}`
                : `soft, attempts ${step.soft.first} to ${step.soft.last}`}
            </span>
          )}{" "}
          {step.output}
        </>
      );
    case "notification":
      return (
        <>
          <span className="word">Notification</span>{" "}
          <span className="muted">
            {notificationKindText(step.cause)}
            {step.level > 0 && `, level ${step.level}`}
          </span>
          <ul className="step-deliveries">
            {step.deliveries.map((delivery) => (
              <li key={delivery.contact}>
                <DeliveryText delivery={delivery} decidedMs={step.atMs} />
              </li>
            ))}
          </ul>
        </>
      );
    case "suppressed":
      return (
        <>
          <span className="word is-quiet">Suppressed</span>{" "}
          {step.record.because && <DecisionText decision={step.record.because} object={item.key} />}
          {step.count > 1 && <span className="muted"> ({step.count} times)</span>}
        </>
      );
    case "record":
      return (
        <>
          <RecordTypeMark record={step.record} />{" "}
          <span className="record-text">
            <RecordText record={step.record} />
          </span>
        </>
      );
    default:
      return never(step);
  }
}

const tones = { queued: "", delivered: "is-good", "given up": "is-bad" } as const;

function DeliveryText({ delivery, decidedMs }: { delivery: IncidentDelivery; decidedMs: number }) {
  const { contact, state, atMs, error, fallbackOf } = delivery;
  return (
    <>
      <strong>{contact}</strong>
      {fallbackOf !== "" && <span className="muted"> as fallback of {fallbackOf}</span>}{" "}
      <span className={`word ${tones[state]}`}>{state}</span>
      {state !== "queued" && atMs - decidedMs >= 1_000 && (
        <span className="muted"> after {formatTimeSpan(atMs - decidedMs)}</span>
      )}
      {error !== "" && <span className="delivery-error"> {error}</span>}
    </>
  );
}
