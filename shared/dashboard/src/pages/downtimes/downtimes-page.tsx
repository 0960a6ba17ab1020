import { useNavigate, useSearch } from "@tanstack/react-router";
import { useNow, usePreference } from "../../api/context/app-context.tsx";
import { useServerInfo } from "../../api/server/server-info.ts";
import { useDowntimes } from "../../api/status/use-downtimes.ts";
import { EmptyState } from "../../components/feedback/empty-state.tsx";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { PageHead } from "../../components/page-title/page-head.tsx";
import { formatDate } from "../../components/time/format-date-time.ts";
import { DowntimeTable } from "../../features/downtimes/downtime-table.tsx";
import { weekOf } from "../../features/downtimes/week.ts";

/** Number of weeks that the calendar goes ahead. */
const maxWeeks = 52;

/** Downtimes of all objects, in effect and scheduled, as a list with a calendar of one week. */
export function DowntimesPage() {
  const { info } = useServerInfo();
  const { downtimes, error } = useDowntimes();
  const nowMs = useNow();
  const zone = usePreference("zone");
  const { week: weekText } = useSearch({ from: "/downtimes" });
  const offset = Math.min(maxWeeks, Number(weekText ?? 0));
  const week = weekOf(nowMs, offset, zone);
  const active = downtimes?.filter(({ inEffect }) => inEffect).length ?? 0;
  return (
    <>
      <PageHead title="Downtimes" count={downtimes && `${active} in effect, ${downtimes.length - active} scheduled`}>
        <WeekSteps offset={offset} text={`${formatDate(week[0] ?? 0, zone)} – ${formatDate(week[6] ?? 0, zone)}`} />
      </PageHead>
      {error !== null && <FailureText error={error} what="Downtimes are not available." />}
      {downtimes?.length === 0 && (
        <EmptyState title="No downtime is scheduled">
          <p>Select objects in a list and press d, or declare recurring downtimes in the configuration.</p>
        </EmptyState>
      )}
      {downtimes === undefined && error === null && <EmptyState title="Loading…" />}
      {downtimes !== undefined && downtimes.length > 0 && (
        <DowntimeTable groups={downtimes} week={week} aggregator={info?.aggregator === true} />
      )}
    </>
  );
}

function WeekSteps({ offset, text }: { offset: number; text: string }) {
  const navigate = useNavigate({ from: "/downtimes" });
  const show = (to: number): void =>
    void navigate({ search: (before) => ({ ...before, week: to === 0 ? "" : String(to) }), replace: true });
  return (
    <fieldset className="week-steps">
      <legend className="visually-hidden">Week of the calendar</legend>
      <button type="button" className="button is-small" disabled={offset === 0} onClick={() => show(offset - 1)}>
        ← Earlier
      </button>
      <span>{text}</span>
      <button type="button" className="button is-small" disabled={offset === maxWeeks} onClick={() => show(offset + 1)}>
        Later →
      </button>
    </fieldset>
  );
}
