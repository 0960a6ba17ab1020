import { durationMs } from "@bufbuild/protobuf/wkt";
import { statusNameOf } from "@realmwatch/shared/view/row-status";
import { disabledFeatures } from "@realmwatch/shared/view/row-switches";
import { checkTimingOf } from "../../api/checks/check-timing.ts";
import { useIsStale } from "../../api/status/stale-rows.ts";
import { optionalMs, type StatusItem } from "../../api/status/status-item.ts";
import { StatusBadge } from "../../components/status/status-badge.tsx";
import { formatRunTime } from "../../components/time/format-time-span.ts";
import { DateTime, DueTime } from "../../components/time/time-text.tsx";
import { Fact } from "./fact.tsx";
import { RecentChecks } from "./recent-checks.tsx";
import { TimingBar } from "./timing-bar.tsx";
import { useCheckCommand } from "./use-object.ts";

/** Times, attempts and settings of the object's checks. */
export function CheckPanel({ item }: { item: StatusItem }) {
  const { key, row } = item;
  const lastKnown = useIsStale()(item);
  const timing = checkTimingOf(item);
  return (
    <section className="card panel">
      <h2>Check</h2>
      <dl className="facts">
        <Fact name="Last check" value={<DateTime atMs={optionalMs(row.lastCheck)} />} />
        {key.kind !== "process" && (
          <Fact
            name="Next check"
            value={row.nextCheck ? <DueTime atMs={optionalMs(row.nextCheck)} /> : "none scheduled"}
          />
        )}
        <Fact name="Last state change" value={<DateTime atMs={optionalMs(row.lastChange)} />} />
        <Fact name="Last hard change" value={<DateTime atMs={optionalMs(row.lastHardChange)} />} />
        <Fact
          name="Last hard state"
          value={<StatusBadge status={statusNameOf(row.lastHardStatus)} lastKnown={lastKnown} />}
        />
        <Fact name="Attempt" value={`${row.attempt} of ${row.maxAttempts}`} />
        {row.executionTime && <Fact name="Execution time" value={formatRunTime(durationMs(row.executionTime))} />}
        {row.latency && <Fact name="Latency" value={formatRunTime(durationMs(row.latency))} />}
        {timing !== undefined && <Fact name="Timing" value={<TimingBar timing={timing} />} />}
        {row.checkSource !== "" && <Fact name="Checked by" value={row.checkSource} />}
        {row.zone !== "" && <Fact name="Zone" value={row.zone} />}
        <Fact name="Check period" value={row.checkPeriod || "always"} />
        <Fact name="Flapping" value={`${row.flapping ? "yes" : "no"}, ${Math.round(row.flapValue * 100)} %`} />
        <Fact name="Disabled" value={disabledFeatures(row).join(", ") || "none"} />
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
