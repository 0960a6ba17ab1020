import { type KeyboardEvent, type PointerEvent, useId, useState } from "react";
import { usePreference } from "../../api/context/app-context.tsx";
import type { DisplayZone } from "../../api/context/preferences.ts";
import { formatDate, formatMinute, formatShortDateTime } from "../../components/time/format-date-time.ts";
import { formatTimeSpan } from "../../components/time/format-time-span.ts";
import type { HeatBucket, HeatResult } from "./heat-buckets.ts";
import type { Span } from "./status-spans.ts";
import "../../components/status/status.css";

const height = 34;
/** Height of a bucket by its status, so that the bar can be read without colours. */
const heights: Readonly<Record<string, number>> = {
  ok: 16,
  pending: 10,
  unknown: 22,
  warning: 22,
  unreachable: 28,
  critical: 28,
};

/** Bar of buckets. Arrow keys and the pointer choose one, whose text is below the bar. */
export function HeatBar({ heat: { buckets, okShare }, range }: { heat: HeatResult; range: Span }) {
  const zone = usePreference("zone");
  const [chosen, setChosen] = useState<number>();
  const last = buckets.length - 1;
  const at = Math.min(chosen ?? last, last);
  const bucket = buckets[at];
  const move = (event: KeyboardEvent): void => {
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    setChosen(Math.min(last, Math.max(0, to)));
  };
  const point = (event: PointerEvent<HTMLDivElement>): void => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    setChosen(Math.min(last, Math.max(0, Math.floor(((event.clientX - left) / width) * buckets.length))));
  };
  return (
    <div className="heat">
      <div
        className="heat-bar"
        role="slider"
        tabIndex={0}
        aria-label={okShare === undefined ? "States" : "States: use the arrow keys"}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={at}
        aria-valuetext={bucket && bucketText(bucket, zone)}
        onKeyDown={move}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => setChosen(undefined)}
      >
        <Buckets buckets={buckets} cursor={chosen === undefined ? undefined : at} />
      </div>
      <p className="heat-axis muted" aria-hidden="true">
        {chosen === undefined || bucket === undefined ? (
          <>
            <span>{formatShortDateTime(range.fromMs, range.toMs, zone)}</span>
            <span>now</span>
          </>
        ) : (
          <span className="heat-text">{bucketText(bucket, zone)}</span>
        )}
      </p>
    </div>
  );
}

function Buckets({ buckets, cursor }: { buckets: readonly HeatBucket[]; cursor: number | undefined }) {
  const hatch = useId();
  return (
    <svg viewBox={`0 0 ${buckets.length} ${height}`} preserveAspectRatio="none" aria-hidden="true" focusable="false">
      <defs>
        <pattern id={hatch} width="0.9" height="8" patternUnits="userSpaceOnUse">
          <path className="heat-hatch" d="M0 8 .9 0" />
        </pattern>
      </defs>
      {buckets.map((each, index) => (
        <Bucket key={each.fromMs} bucket={each} index={index} hatch={hatch} />
      ))}
      {cursor !== undefined && (
        <rect className="heat-cursor" x={cursor + 0.06} y={0.5} width={0.88} height={height - 1} />
      )}
    </svg>
  );
}

function Bucket({ bucket, index, hatch }: { bucket: HeatBucket; index: number; hatch: string }) {
  const { worst, noDataMs, downtimeMs, fromMs, toMs } = bucket;
  const size = worst === undefined ? 28 : (heights[worst] ?? 22);
  const isGap = noDataMs > (toMs - fromMs) / 2;
  return (
    <g data-status={worst}>
      {worst !== undefined && <rect className="heat-bucket" x={index + 0.1} y={29 - size} width={0.8} height={size} />}
      {isGap && <rect fill={`url(#${hatch})`} x={index + 0.05} y={1} width={0.9} height={28} />}
      {downtimeMs > 0 && <rect className="heat-downtime" x={index} y={31} width={1} height={3} />}
    </g>
  );
}

/** `28 Mar 2026 12:00 – 12:20: critical for 5 m, in downtime for 3 m`. */
function bucketText({ fromMs, toMs, worst, noDataMs, downtimeMs, problemMs }: HeatBucket, zone: DisplayZone): string {
  const time = `${formatDate(fromMs, zone)} ${formatMinute(fromMs, zone)} – ${formatShortDateTime(toMs, fromMs, zone)}`;
  const status =
    worst === undefined ? "no data" : problemMs > 0 ? `${worst}, problems for ${formatTimeSpan(problemMs)}` : worst;
  const parts = [
    status,
    ...(worst !== undefined && noDataMs >= 1_000 ? [`no data for ${formatTimeSpan(noDataMs)}`] : []),
    ...(downtimeMs > 0 ? [`in downtime for ${formatTimeSpan(downtimeMs)}`] : []),
  ];
  return `${time}: ${parts.join(", ")}`;
}
