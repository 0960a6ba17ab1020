import { durationMs } from "@bufbuild/protobuf/wkt";
import { statusNameOf } from "@realmwatch/shared/view/row-status";
import { disabledFeatures } from "@realmwatch/shared/view/row-switches";
import { type CheckTiming, checkTimingOf } from "../../api/checks/check-timing.ts";
import { useIsStale } from "../../api/status/stale-rows.ts";
import { optionalMs, type StatusItem } from "../../api/status/status-item.ts";
import { Fact } from "../../components/object/fact.tsx";
import { StatusBadge } from "../../components/status/status-badge.tsx";
import { formatRunTime } from "../../components/time/format-time-span.ts";
import { DateTime, DueTime } from "../../components/time/time-text.tsx";
import { RecentChecks } from "./recent-checks.tsx";
import { useCheckCommand } from "./use-object.ts";
import "./timing-bar.css";

/** Times, attempts and settings of the object's checks. */
export function CheckPanel({ item }: { item: StatusItem }) {
  const { key, row } = item;
  const lastKnown = useIsStale()(item);
  const timing = checkTimingOf(item);
  return (
    <section className="card panel">
      <h2>Check</h2>
      <dl className="facts">
        <Fact name="Last check">
          <DateTime atMs={optionalMs(row.lastCheck)} />
        </Fact>
        {key.kind !== "process" && (
          <Fact name="Next check">
            {row.nextCheck ? <DueTime atMs={optionalMs(row.nextCheck)} /> : "none scheduled"}
          </Fact>
        )}
        <Fact name="Last state change">
          <DateTime atMs={optionalMs(row.lastChange)} />
        </Fact>
        <Fact name="Last hard change">
          <DateTime atMs={optionalMs(row.lastHardChange)} />
        </Fact>
        <Fact name="Last hard state">
          <StatusBadge status={statusNameOf(row.lastHardStatus)} lastKnown={lastKnown} />
        </Fact>
        <Fact name="Attempt">{`${row.attempt} of ${row.maxAttempts}`}</Fact>
        {row.executionTime && <Fact name="Execution time">{formatRunTime(durationMs(row.executionTime))}</Fact>}
        {row.latency && <Fact name="Latency">{formatRunTime(durationMs(row.latency))}</Fact>}
        {timing !== undefined && (
          <Fact name="Timing">
            <TimingBar timing={timing} />
          </Fact>
        )}
        {row.checkSource !== "" && <Fact name="Checked by">{row.checkSource}</Fact>}
        {row.zone !== "" && <Fact name="Zone">{row.zone}</Fact>}
        <Fact name="Check period">{row.checkPeriod || "always"}</Fact>
        <Fact name="Flapping">{`${row.flapping ? "yes" : "no"}, ${Math.round(row.flapValue * 100)} %`}</Fact>
        <Fact name="Disabled">{disabledFeatures(row).join(", ") || "none"}</Fact>
      </dl>
      <RecentChecks item={item} />
      <CheckCommand item={item} answers={!lastKnown} />
    </section>
  );
}

/** Command line of the check, or its target; without one the panel has no such part. */
function CheckCommand({ item, answers }: { item: StatusItem; answers: boolean }) {
  const command = useCheckCommand(item, answers);
  if (command === "") return null;
  return (
    <div className="check-command">
      <h3>Command</h3>
      <pre className="output">{command}</pre>
    </div>
  );
}

/** Latency and execution time of the last check as parts of its interval, and a word about its latency. */
function TimingBar({ timing: { latencyMs, executionMs, intervalMs, late } }: { timing: CheckTiming }) {
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
