import type { CheckTiming } from "../../api/checks/check-timing.ts";
import { formatRunTime } from "../../components/time/format-time-span.ts";
import "./timing-bar.css";

/** Latency and execution time of the last check as parts of its interval, and a word about its latency. */
export function TimingBar({ timing: { latencyMs, executionMs, intervalMs, late } }: { timing: CheckTiming }) {
  const started = `Started ${formatRunTime(latencyMs)} after its time and took ${formatRunTime(executionMs)}`;
  const text = `${started}, with an interval of ${formatRunTime(intervalMs)}`;
  const widthOf = (ms: number): string => `${Math.min(100, (ms / intervalMs) * 100)}%`;
  return (
    <span className={late ? "timing is-late" : "timing"} title={text}>
      <span className="timing-bar" role="img" aria-label={text}>
        <span className="timing-latency" style={{ width: widthOf(latencyMs) }} />
        <span className="timing-execution" style={{ width: widthOf(executionMs) }} />
      </span>
      {late ? "late" : "on time"}
    </span>
  );
}
