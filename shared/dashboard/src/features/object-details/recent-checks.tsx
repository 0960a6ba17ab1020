import type { SeenCheck } from "../../api/checks/seen-checks.ts";
import { useAppContext, usePreference } from "../../api/context/app-context.tsx";
import { usePastView } from "../../api/context/past-view.ts";
import type { StatusItem } from "../../api/status/status-item.ts";
import { useWidth } from "../../components/chart/use-width.ts";
import { formatClockTime } from "../../components/time/format-date-time.ts";
import { formatRunTime } from "../../components/time/format-time-span.ts";
import { checkColumns } from "./check-columns.ts";
import "../../components/chart/chart.css";
import "./recent-checks.css";

const height = 48;

/** Latency and execution time of the checks that this page has seen, by their time; late ones stand out. */
export function RecentChecks({ item }: { item: StatusItem }) {
  const { checks } = useAppContext();
  const past = usePastView() !== undefined;
  const seen = checks.of(item.id);
  // The bar above has the only check.
  return past || seen.length < 2 ? null : <CheckChart checks={seen} />;
}

function CheckChart({ checks }: { checks: readonly SeenCheck[] }) {
  const [element, width] = useWidth<HTMLDivElement>();
  const zone = usePreference("zone");
  const late = checks.filter((check) => check.late).length;
  const since = formatClockTime(checks[0]?.dueAtMs ?? 0, zone);
  const latency = formatRunTime(Math.max(...checks.map(({ latencyMs }) => latencyMs)));
  const execution = formatRunTime(Math.max(...checks.map(({ executionMs }) => executionMs)));
  const text = `${checks.length} checks seen by this page since ${since}: ${late === 0 ? "all on time" : `${late} late`}`;
  const most = `Started at most ${latency} after their time, and took at most ${execution}.`;
  return (
    <div className="recent-checks" ref={element}>
      <h3>Recent checks</h3>
      {width > 0 && (
        <svg role="img" aria-label={`${text}. ${most}`} width={width} height={height}>
          <line className="recent-base" x1={0} x2={width} y1={height - 0.5} y2={height - 0.5} />
          {checkColumns(checks, { width, height }).map(({ check, x, columnWidth, latency, execution }) => (
            <g key={check.dueAtMs} className={check.late ? "is-late" : ""}>
              <title>
                {formatClockTime(check.dueAtMs, zone)}: {formatRunTime(check.latencyMs)} after its time, took{" "}
                {formatRunTime(check.executionMs)}
              </title>
              <rect className="recent-latency" x={x} y={height - latency} width={columnWidth} height={latency} />
              <rect
                className="recent-execution"
                x={x}
                y={height - latency - execution}
                width={columnWidth}
                height={execution}
              />
            </g>
          ))}
        </svg>
      )}
      <p className={late > 0 ? "warning-text" : "muted"}>{text}</p>
      <ul className="plot-keys">
        <li>
          <span className="chart-key recent-latency" /> Latency
        </li>
        <li>
          <span className="chart-key recent-execution" /> Execution time
        </li>
      </ul>
      <p className="muted">{most}</p>
    </div>
  );
}
