import { statusNameOf } from "@realmwatch/shared/view/row-status";
import { useMemo } from "react";
import { useAppContext } from "../../api/context/app-context.tsx";
import { useStoreValue } from "../../api/context/value-store.ts";
import { useRealm } from "../../api/status/overview.ts";
import { isCurrent, lastKnownAtMs } from "../../api/status/realm-freshness.ts";
import { optionalMs, type StatusItem } from "../../api/status/status-item.ts";
import { RangeChoice } from "../../components/controls/range-choice.tsx";
import { useChoiceParam } from "../../components/controls/use-search-param.ts";
import { EvidenceMark } from "../../components/evidence/evidence-mark.tsx";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { parseSpanMs } from "../../components/time/wall-time.ts";
import { HeatBar } from "./heat-bar.tsx";
import { type HeatResult, heatBuckets } from "./heat-buckets.ts";
import { shareTone } from "./share-tone.ts";
import { downtimeSpans, gapSpans, type Span, statusSpans } from "./status-spans.ts";
import { type PastRecords, useObjectPast } from "./use-object-past.ts";
import "../../components/object/word.css";
import "./heat.css";

/** Number of buckets of a heat bar, by the name of its range in the address. */
const bucketsOf = { "24h": 72, "7d": 84, "30d": 60, "90d": 90 } as const;
const ranges = Object.keys(bucketsOf) as readonly (keyof typeof bucketsOf)[];

/** Heat bar of an object's hard states, with the share of time that it was OK. */
export function HeatPanel({ item }: { item: StatusItem }) {
  const { now } = useAppContext();
  const [name, choose] = useChoiceParam("past", ranges, "24h");
  const [lengthMs, buckets] = [parseSpanMs(name) ?? 0, bucketsOf[name]];
  const toMs = useStoreValue(now, heatEndMs);
  const range = useMemo(() => ({ fromMs: toMs - lengthMs, toMs }), [toMs, lengthMs]);
  const { data, error } = useObjectPast(item, range);
  const knownToMs = useKnownToMs(item.realm);
  const heat = useMemo(
    () => data && heatOf(item, { ...data, knownToMs }, range, buckets),
    [item, data, knownToMs, range, buckets],
  );
  return (
    <section className="card panel heat-panel" aria-labelledby="heat-title">
      <header className="panel-head">
        <h2 id="heat-title">Availability</h2>
        {heat !== undefined && <Uptime heat={heat} isCurrent={knownToMs === Number.POSITIVE_INFINITY} />}
        <RangeChoice label="Range of the availability" choices={ranges} value={name} onChange={choose} />
      </header>
      {error !== null && <FailureText error={error} what="History is not available." />}
      {heat === undefined ? <div className="heat-empty" /> : <HeatBar key={name} heat={heat} range={range} />}
    </section>
  );
}

/** Time up to which the centre knows the states of a realm, Unix ms; infinite for a realm that is current. */
function useKnownToMs(realm: string): number {
  const owner = useRealm(realm);
  return owner === undefined || isCurrent(owner) ? Number.POSITIVE_INFINITY : (lastKnownAtMs(owner) ?? 0);
}

/** Share of the time that was OK; in colour only where it is known for nearly all of the range, up to now. */
function Uptime({ heat: { okShare, evidence }, isCurrent }: { heat: HeatResult; isCurrent: boolean }) {
  const tone = okShare === undefined ? undefined : shareTone({ okShare, evidence, isCurrent });
  return (
    <p
      className="heat-uptime"
      title="Share of the time with data and outside of downtimes in which the hard state was OK"
    >
      {okShare === undefined ? (
        <span className="muted">no data</span>
      ) : (
        <>
          <strong className={tone && `word is-${tone}`}>{formatShare(okShare)}</strong>{" "}
          <span className="muted">OK</span> <EvidenceMark percent={evidence * 100} />
        </>
      )}
    </p>
  );
}

/** Percentage that is never rounded up to 100. */
function formatShare(share: number): string {
  const percent = Math.floor(share * 100_000) / 1_000;
  return `${percent === 100 ? "100" : percent.toFixed(percent >= 99 ? 3 : 2)} %`;
}

type KnownPast = PastRecords & { readonly knownToMs: number };

function heatOf(item: StatusItem, records: KnownPast, range: Span, buckets: number): HeatResult {
  const { row, key } = item;
  const present = { status: statusNameOf(row.lastHardStatus), sinceMs: optionalMs(row.lastHardChange) };
  const ownInEffect = row.downtimes.some(({ inEffect }) => inEffect);
  // A service in downtime without a downtime of its own is in that of its host.
  const hostInEffect = key.kind === "service" && row.inDowntime === true && !ownInEffect;
  const missing = [
    { fromMs: range.fromMs, toMs: Math.min(range.toMs, records.completeFromMs) },
    { fromMs: Math.max(range.fromMs, records.knownToMs), toMs: range.toMs },
  ].filter(({ fromMs, toMs }) => fromMs < toMs);
  return heatBuckets(
    {
      statuses: statusSpans({ ...records, present }, range),
      downtimes: [
        ...downtimeSpans(records.ownEdges, ownInEffect, range),
        ...downtimeSpans(records.hostEdges, hostInEffect, range),
      ],
      gaps: [...missing, ...gapSpans(records.gaps, range)],
    },
    range,
    buckets,
  );
}

/** Time that a heat bar ends at: now, up to the next whole minute, so that a bar moves once a minute. Unix ms. */
const heatEndMs = (nowMs: number): number => Math.ceil(nowMs / 60_000) * 60_000;
