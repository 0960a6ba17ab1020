import type { ObjectAvailability, SloReport } from "@realmwatch/proto/svc/v1/query_pb";
import { isLowEvidence } from "@realmwatch/shared/view/evidence";
import { counted } from "@realmwatch/shared/view/plural";
import { useId, useState } from "react";
import { idOfWireRef, keyOfWireRef } from "../../api/status/object-key.ts";
import { ActionButton } from "../../components/controls/action-button.tsx";
import { EvidenceMark } from "../../components/evidence/evidence-mark.tsx";
import { Fact } from "../../components/object/fact.tsx";
import { ObjectLink } from "../../components/object/object-link.tsx";
import { PlainTable } from "../../components/table/plain-table.tsx";
import { formatTimeSpan } from "../../components/time/format-time-span.ts";
import { budgetText, formatPercent, sloTone, statusShares } from "./slo-figures.ts";
import "../../components/object/word.css";
import "../../components/status/status.css";
import "./slo-card.css";

/** Objects of an objective that are listed before a press on "Show all". */
const firstObjects = 50;

const judgements = { bad: "missed", fair: "at risk", good: "met", none: "no evidence" } as const;

/** One objective: target, achieved, error budget and burn rate, and the times of its objects. */
export function SloCard({ report }: { report: SloReport }) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const { name, realm, target, achieved, errorBudgetLeft, burnRate, evidence, objects, downtimesExcluded } = report;
  const tone = sloTone(report);
  return (
    <section className={`card slo is-${tone}`} aria-labelledby={`${id} ${id}-realm`}>
      <header className="slo-head">
        <h2 id={id} className="title">
          {name}
        </h2>
        {realm !== "" && (
          <span className="muted" id={`${id}-realm`}>
            {realm}
          </span>
        )}
        <span className={`word slo-word tools is-${tone}`}>{judgements[tone]}</span>
      </header>
      <dl className="figures">
        <Fact name="Achieved">{achieved === undefined ? <Missing /> : <strong>{formatPercent(achieved)}</strong>}</Fact>
        <Fact name="Target">{formatPercent(target)}</Fact>
        <Fact name="Error budget">
          {errorBudgetLeft === undefined ? (
            <Missing />
          ) : (
            <>
              <Budget left={errorBudgetLeft} name={name} /> {budgetText(errorBudgetLeft)}
            </>
          )}
        </Fact>
        <Fact name="Burn rate">{burnRate === undefined ? <Missing /> : <BurnRate rate={burnRate} />}</Fact>
        {evidence !== undefined && isLowEvidence(evidence) && (
          <Fact name="Evidence">
            <EvidenceMark percent={evidence} />
          </Fact>
        )}
      </dl>
      <p className="wrapped slo-foot">
        <ActionButton tone="small" aria-expanded={open} onClick={() => setOpen(!open)}>
          {counted(objects.length, "object")}
        </ActionButton>
        <span className="muted">{downtimesExcluded ? "Downtimes do not count" : "Downtimes count"}</span>
      </p>
      <div className={open ? "slo-objects" : "slo-objects is-closed"}>
        {objects.length > 0 && <ObjectTimes objects={objects} realm={realm} label={name} />}
      </div>
    </section>
  );
}

/** Value of a figure that no time of the range counts for. */
const Missing = () => <span className="muted">no data</span>;

const BurnRate = ({ rate }: { rate: number }) => (
  <span
    title="Over the last hour; at 1 the budget lasts exactly for the range"
    className={rate > 1 ? "word slo-word is-bad" : ""}
  >
    {Number(rate.toPrecision(3))} ×
  </span>
);

/** Bar of the error budget: full when untouched, empty when used up; hatched when overspent. */
function Budget({ left, name }: { left: number; name: string }) {
  const share = Math.min(1, Math.max(0, left));
  return (
    <svg
      className={left < 0 ? "budget is-overspent" : "budget"}
      role="img"
      aria-label={`Error budget of ${name}: ${budgetText(left)}`}
      viewBox="0 0 100 8"
      preserveAspectRatio="none"
    >
      <rect className="budget-all" width="100" height="8" />
      <rect className="budget-left" width={share * 100} height="8" />
    </svg>
  );
}

type ObjectTimesProps = { objects: readonly ObjectAvailability[]; realm: string; label: string };

function ObjectTimes({ objects, realm, label }: ObjectTimesProps) {
  const [all, setAll] = useState(false);
  const sorted = objects.toSorted((a, b) => problemShare(b) - problemShare(a));
  return (
    <>
      <PlainTable
        label={`Objects of ${label}`}
        className="slo-table"
        rows={all ? sorted : sorted.slice(0, firstObjects)}
        keyOf={({ object }) => idOfWireRef(realm, object) ?? ""}
        columns={[
          { title: "Object", isName: true, cell: (one) => <ObjectOf one={one} realm={realm} /> },
          { title: "States", className: "slo-bar-cell", cell: (one) => <StatusBar one={one} /> },
          { title: "Time by state", cell: (one) => <StatusTimes one={one} /> },
          {
            ...{ title: "Downtime", className: "number" },
            cell: ({ downtimeSeconds }) =>
              downtimeSeconds > 0 ? formatTimeSpan(downtimeSeconds * 1_000) : <span className="muted">–</span>,
          },
        ]}
      />
      {!all && sorted.length > firstObjects && (
        <ActionButton onClick={() => setAll(true)}>Show all {sorted.length} objects</ActionButton>
      )}
    </>
  );
}

/** Share of the time with evidence that was not OK. */
function problemShare({ seconds }: ObjectAvailability): number {
  const shares = statusShares(seconds);
  const ok = shares.find(({ status }) => status === "ok")?.share ?? 0;
  const none = shares.find(({ status }) => status === undefined)?.share ?? 0;
  return none === 1 ? 0 : (1 - ok - none) / (1 - none);
}

function ObjectOf({ one, realm }: { one: ObjectAvailability; realm: string }) {
  const key = keyOfWireRef(one.object);
  return key && <ObjectLink realm={realm} object={key} />;
}

function StatusBar({ one }: { one: ObjectAvailability }) {
  let from = 0;
  return (
    <svg className="slo-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" focusable="false">
      {statusShares(one.seconds).map(({ status, share }) => {
        const x = from;
        from += share * 100;
        return <rect key={status ?? "none"} data-status={status} x={x} width={share * 100} height="8" />;
      })}
    </svg>
  );
}

function StatusTimes({ one }: { one: ObjectAvailability }) {
  return (
    <>
      {statusShares(one.seconds).map(({ status, seconds }) => (
        <span key={status ?? "none"} className="slo-time" data-status={status}>
          <span className="slo-status">{status ?? "no data"}</span> {formatTimeSpan(seconds * 1_000)}
        </span>
      ))}
      <EvidenceMark percent={one.evidence} />
    </>
  );
}
