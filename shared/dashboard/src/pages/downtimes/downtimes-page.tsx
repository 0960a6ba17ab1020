import { useBlockedReason } from "../../api/commands/command-availability.ts";
import { useAppContext, useNow, usePreference } from "../../api/context/app-context.tsx";
import { useServerInfo } from "../../api/server/server-info.ts";
import { searchDowntimes } from "../../api/status/downtime-list.ts";
import { useDowntimes } from "../../api/status/use-downtimes.ts";
import { ActionButton } from "../../components/controls/action-button.tsx";
import { SearchBox } from "../../components/controls/search-box.tsx";
import { useSearchParam } from "../../components/controls/use-search-param.ts";
import { EmptyState } from "../../components/feedback/empty-state.tsx";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { PageHead } from "../../components/page-title/page-head.tsx";
import { formatDate } from "../../components/time/format-date-time.ts";
import { calendarDays } from "../../features/downtimes/calendar.ts";
import { DowntimeCalendar } from "../../features/downtimes/downtime-calendar.tsx";
import { DowntimeTable } from "../../features/downtimes/downtime-table.tsx";

/** Number of weeks that the calendar goes ahead. */
const maxWeeks = 52;

/** Downtimes of all objects, in effect and scheduled, with a calendar of four weeks. */
export function DowntimesPage() {
  const { info } = useServerInfo();
  const { dialog } = useAppContext();
  const blockedReason = useBlockedReason()("");
  const { downtimes, error } = useDowntimes();
  const nowMs = useNow();
  const zone = usePreference("zone");
  const [week = "", setWeek] = useSearchParam("week");
  const [text = "", setText] = useSearchParam("q");
  const offset = /^\d{1,2}$/.test(week) ? Math.min(maxWeeks, Number(week)) : 0;
  const days = calendarDays(nowMs, offset, zone);
  const shown = downtimes && searchDowntimes(downtimes, text);
  const active = shown?.filter(({ inEffect }) => inEffect).length ?? 0;
  return (
    <>
      <PageHead title="Downtimes" count={shown && `${active} in effect, ${shown.length - active} scheduled`}>
        <ActionButton tone="primary" blockedReason={blockedReason} onClick={() => dialog.set({ kind: "new_downtime" })}>
          New downtime
        </ActionButton>
      </PageHead>
      {error !== null && <FailureText error={error} what="Downtimes are not available." />}
      {downtimes === undefined && error === null && <EmptyState title="Loading…" />}
      {shown !== undefined && (
        <>
          <div className="wrapped toolbar">
            <SearchBox label="Search in the downtimes" value={text} onChange={setText} />
            <WeekSteps
              offset={offset}
              text={`${formatDate(days[0] ?? 0, zone)} – ${formatDate(days.at(-2) ?? 0, zone)}`}
              onShow={(to) => setWeek(to === 0 ? "" : String(to))}
            />
          </div>
          <DowntimeCalendar groups={shown} days={days} />
        </>
      )}
      {shown?.length === 0 && (
        <EmptyState title={text === "" ? "No downtime is scheduled" : "No downtime matches the search"}>
          <p>
            Schedule one here, select objects in a list and press d, or declare recurring ones in the configuration.
          </p>
        </EmptyState>
      )}
      {shown !== undefined && shown.length > 0 && (
        <DowntimeTable groups={shown} aggregator={info?.aggregator === true} />
      )}
    </>
  );
}

type WeekStepsProps = { offset: number; text: string; onShow: (offset: number) => void };

function WeekSteps({ offset, text, onShow }: WeekStepsProps) {
  return (
    <fieldset className="wrapped tools week-steps">
      <legend className="visually-hidden">Weeks of the calendar</legend>
      <ActionButton tone="small" disabled={offset === 0} onClick={() => onShow(offset - 1)}>
        ← Earlier
      </ActionButton>
      <span>{text}</span>
      <ActionButton tone="small" disabled={offset === maxWeeks} onClick={() => onShow(offset + 1)}>
        Later →
      </ActionButton>
    </fieldset>
  );
}
