import { useAppContext, usePreference } from "../../api/context/app-context.tsx";
import { useStoreValue } from "../../api/context/value-store.ts";
import { ActionButton } from "../../components/controls/action-button.tsx";
import { MarkIcon } from "../../components/controls/mark-icon.tsx";
import { formatDateTime, formatZone, isoInstant } from "../../components/time/format-date-time.ts";
import { formatTimeSpan } from "../../components/time/format-time-span.ts";
import { formatPastInstant, shiftPastInstant } from "../../components/time/past-instant.ts";
import { fromInputValue, toInputValue } from "../../components/time/wall-time.ts";
import type { ObjectRows } from "./use-object-rows.ts";
import "./past.css";

const minuteMs = 60_000;
/** Distance from now of the time that the past view opens with, ms. */
const firstStepMs = 5 * minuteMs;
const steps: readonly { label: string; byMs: number }[] = [
  { label: "−1 h", byMs: -60 * minuteMs },
  { label: "−5 m", byMs: -5 * minuteMs },
  { label: "−1 m", byMs: -minuteMs },
  { label: "+1 m", byMs: minuteMs },
  { label: "+5 m", byMs: 5 * minuteMs },
  { label: "+1 h", byMs: 60 * minuteMs },
];

/** Opens the past view; hidden while it is open. */
export function PastButton({ rows: { search, change } }: { rows: ObjectRows }) {
  const { now } = useAppContext();
  if (search.at !== undefined) return null;
  return (
    <ActionButton
      title="Show this list at a time in the past"
      onClick={() => change({ at: formatPastInstant(now.get() - firstStepMs) })}
    >
      <MarkIcon name="clock" /> Past state…
    </ActionButton>
  );
}

/** Bar of the past view with its time and controls; hidden for the present. */
export function PastBar({ rows: { pastMs: atMs, change } }: { rows: ObjectRows }) {
  const { now } = useAppContext();
  const nowMs = useStoreValue(now);
  const zone = usePreference("zone");
  if (atMs === undefined) return null;
  const show = (ms: number): void => change({ at: formatPastInstant(shiftPastInstant(ms, 0, nowMs)) });
  return (
    <section className="wrapped past-bar" aria-label="Past view">
      <p role="status">
        <MarkIcon name="clock" /> State at{" "}
        <time dateTime={isoInstant(atMs)}>
          <strong>{formatDateTime(atMs, zone)}</strong>
        </time>
        , {formatTimeSpan(nowMs - atMs)} ago.{" "}
        <span className="muted">Commands are not available here; links lead to the current state.</span>
      </p>
      <div className="wrapped">
        <label>
          <span className="visually-hidden">Time to display, {formatZone(zone, atMs)}</span>
          <input
            type="datetime-local"
            value={toInputValue(atMs, zone)}
            max={toInputValue(nowMs, zone)}
            onChange={(event) => {
              const chosenMs = fromInputValue(event.target.value, zone);
              if (chosenMs !== undefined) show(chosenMs);
            }}
          />
        </label>
        <fieldset className="wrapped">
          <legend className="visually-hidden">Step</legend>
          {steps.map(({ label, byMs }) => (
            <ActionButton
              key={label}
              tone="small"
              disabled={byMs > 0 && atMs >= nowMs - 1_000}
              onClick={() => show(atMs + byMs)}
            >
              {label}
            </ActionButton>
          ))}
        </fieldset>
        <ActionButton tone="primary" onClick={() => change({ at: "" })}>
          Back to now
        </ActionButton>
      </div>
    </section>
  );
}
