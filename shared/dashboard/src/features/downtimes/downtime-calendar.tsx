import { counted } from "@realmwatch/shared/view/plural";
import { type KeyboardEvent, useRef, useState } from "react";
import { usePreference } from "../../api/context/app-context.tsx";
import type { DowntimeGroup } from "../../api/status/downtime-list.ts";
import { formatDate, formatDayOfMonth, formatWeekday } from "../../components/time/format-date-time.ts";
import { useShortTime } from "../../components/time/time-text.tsx";
import { type CalendarDays, type DayBar, dayAfterKey, dayBars, daysOfWeek } from "./calendar.ts";
import "./downtime-calendar.css";

type DowntimeCalendarProps = { groups: readonly DowntimeGroup[]; days: CalendarDays };
type Bars = readonly DayBar<DowntimeGroup>[];

/** Number of bars that a day has room for; further ones are a count. */
const shownLanes = 3;

/** Downtimes of four weeks as bars in a grid of days. Arrow keys move between the days; beside it is the list of the chosen one. */
export function DowntimeCalendar({ groups, days }: DowntimeCalendarProps) {
  const zone = usePreference("zone");
  const [chosen, choose] = useState(0);
  const grid = useRef<HTMLTableElement>(null);
  const bars = dayBars(days, groups);
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = dayAfterKey(chosen, event.key, bars.length);
    if (to === undefined) return;
    event.preventDefault();
    choose(to);
    grid.current?.querySelectorAll<HTMLElement>("td")[to]?.focus();
  };
  const weeks = Array.from({ length: bars.length / daysOfWeek }, (_, week) => week * daysOfWeek);
  return (
    <section className="downtime-calendar" aria-label="Calendar of four weeks">
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the arrow keys move between the cells */}
      <table role="grid" aria-label="Days with their downtimes" ref={grid} onKeyDown={onKeyDown}>
        <thead>
          <tr>
            {days.slice(0, daysOfWeek).map((dayMs) => (
              <th key={dayMs} scope="col">
                {formatWeekday(dayMs, zone)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((first) => (
            <tr key={first}>
              {bars.slice(first, first + daysOfWeek).map((own, at) => (
                <CalendarDay
                  key={days[first + at]}
                  dayMs={days[first + at] ?? 0}
                  bars={own}
                  chosen={first + at === chosen}
                  onChoose={() => choose(first + at)}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <DayList dayMs={days[chosen] ?? 0} bars={bars[chosen] ?? []} />
    </section>
  );
}

const percent = (fraction: number): string => `${(fraction * 100).toFixed(2)}%`;

type CalendarDayProps = { dayMs: number; bars: Bars; chosen: boolean; onChoose: () => void };

function CalendarDay({ dayMs, bars, chosen, onChoose }: CalendarDayProps) {
  const zone = usePreference("zone");
  const more = bars.filter(({ lane }) => lane >= shownLanes).length;
  const label = `${formatDate(dayMs, zone)}: ${bars.length === 0 ? "no downtime" : counted(bars.length, "downtime")}`;
  return (
    <td
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a cell of a grid
      role="gridcell"
      aria-label={label}
      aria-selected={chosen}
      tabIndex={chosen ? 0 : -1}
      onFocus={onChoose}
    >
      <span className="day-number">{formatDayOfMonth(dayMs, zone)}</span>
      {bars
        .filter(({ lane }) => lane < shownLanes)
        .map(({ of: group, lane, left, width }) => (
          <span
            key={group.id}
            className={`day-bar is-${group.kind} ${group.inEffect ? "is-in-effect" : ""}`}
            style={{ left: percent(left), width: percent(width), top: `calc(1.5rem + ${lane * 9}px)` }}
          />
        ))}
      {more > 0 && <span className="day-more">+{more}</span>}
    </td>
  );
}

/** Downtimes of the chosen day. */
function DayList({ dayMs, bars }: { dayMs: number; bars: Bars }) {
  const zone = usePreference("zone");
  const shortTime = useShortTime();
  return (
    <div className="day-list" aria-live="polite">
      <h2>{formatDate(dayMs, zone)}</h2>
      {bars.length === 0 && <p className="muted">No downtime</p>}
      <ul>
        {bars.map(({ of: { id, comment, startMs, endMs, kind, parts } }) => (
          <li key={id}>
            <strong>{comment || "Without a comment"}</strong>
            <span className="muted">
              {shortTime(startMs)} – {shortTime(endMs, startMs)}, {counted(parts.length, "object")}
              {kind === "recurring" && ", recurring: its next time"}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
