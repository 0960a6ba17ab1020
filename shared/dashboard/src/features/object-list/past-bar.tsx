import { useAppContext, usePreference } from "../../api/context/app-context.tsx";
import { useStoreValue } from "../../api/context/value-store.ts";
import { MarkIcon } from "../../components/controls/mark-icon.tsx";
import { formatDateTime, formatZone, isoInstant } from "../../components/time/format-date-time.ts";
import { formatTimeSpan } from "../../components/time/format-time-span.ts";
import { formatPastInstant, parsePastInstant, shiftPastInstant } from "../../components/time/past-instant.ts";
import { fromInputValue, toInputValue } from "../../components/time/wall-time.ts";
import type { ListSearch } from "./list-search.ts";
import "./past.css";

type PastProps = { search: ListSearch; onChange: (part: ListSearch) => void };

const minuteMs = 60_000;
/** Where one comes from now: early enough to be something else, late enough to be remembered. */
const firstStepMs = 5 * minuteMs;
const steps: readonly { label: string; byMs: number }[] = [
  { label: "−1 h", byMs: -60 * minuteMs },
  { label: "−5 m", byMs: -5 * minuteMs },
  { label: "−1 m", byMs: -minuteMs },
  { label: "+1 m", byMs: minuteMs },
  { label: "+5 m", byMs: 5 * minuteMs },
  { label: "+1 h", byMs: 60 * minuteMs },
];

/** Opens the time machine; not there while the past is shown, which has the bar. */
export function PastButton({ search, onChange }: PastProps) {
  const { now } = useAppContext();
  if (search.at !== undefined) return null;
  return (
    <button
      type="button"
      className="button"
      title="Show this list as it was at a time"
      onClick={() => onChange({ at: formatPastInstant(now.get() - firstStepMs) })}
    >
      <MarkIcon name="clock" /> As it was…
    </button>
  );
}

/** Says that the list is one of the past, and of when; nothing where it is now. */
export function PastBar({ search, onChange }: PastProps) {
  const { now } = useAppContext();
  const nowMs = useStoreValue(now);
  const zone = usePreference("zone");
  const atMs = parsePastInstant(search.at);
  if (atMs === undefined) return null;
  const show = (ms: number): void => onChange({ at: formatPastInstant(shiftPastInstant(ms, 0, nowMs)) });
  return (
    <section className="past-bar" aria-label="The past">
      <p role="status">
        <MarkIcon name="clock" /> As it was at{" "}
        <time dateTime={isoInstant(atMs)}>
          <strong>{formatDateTime(atMs, zone)}</strong>
        </time>
        , {formatTimeSpan(nowMs - atMs)} ago.{" "}
        <span className="muted">Nothing can be done to the past; links lead to now.</span>
      </p>
      <div className="past-tools">
        <label>
          <span className="visually-hidden">Time to show, {formatZone(zone, atMs)}</span>
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
        <fieldset className="past-steps">
          <legend className="visually-hidden">Step</legend>
          {steps.map(({ label, byMs }) => (
            <button
              key={label}
              type="button"
              className="button is-small"
              disabled={byMs > 0 && atMs >= nowMs - 1_000}
              onClick={() => show(atMs + byMs)}
            >
              {label}
            </button>
          ))}
        </fieldset>
        <button type="button" className="button is-primary" onClick={() => onChange({ at: "" })}>
          Back to now
        </button>
      </div>
    </section>
  );
}
