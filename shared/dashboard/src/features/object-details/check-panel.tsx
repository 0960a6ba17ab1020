import { durationMs } from "@bufbuild/protobuf/wkt";
import { useIsStale } from "../../api/status/stale-rows.ts";
import { optionalMs, type StatusItem } from "../../api/status/status-item.ts";
import { statusNameOf } from "../../api/status/status-name.ts";
import { StatusBadge } from "../../components/status/status-badge.tsx";
import { formatRunTime } from "../../components/time/format-time-span.ts";
import { DateTime, DueTime } from "../../components/time/time-text.tsx";
import { Fact } from "./fact.tsx";

/** Times, attempts and settings of the object's checks. */
export function CheckPanel({ item }: { item: StatusItem }) {
  const { key, row } = item;
  const lastKnown = useIsStale()(item);
  return (
    <section className="panel">
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
        {row.checkSource !== "" && <Fact name="Checked by" value={row.checkSource} />}
        {row.zone !== "" && <Fact name="Zone" value={row.zone} />}
        <Fact name="Check period" value={row.checkPeriod || "always"} />
        <Fact name="Flapping" value={`${row.flapping ? "yes" : "no"}, ${Math.round(row.flapValue * 100)} %`} />
        <Fact name="Disabled" value={disabledFeatures(row).join(", ") || "none"} />
      </dl>
    </section>
  );
}

function disabledFeatures(row: StatusItem["row"]): readonly string[] {
  const switches: [boolean | undefined, string][] = [
    [row.activeChecksEnabled, "active checks"],
    [row.passiveChecksEnabled, "passive checks"],
    [row.eventHandlerEnabled, "event handler"],
    [row.flapDetectionEnabled, "flap detection"],
    [row.notificationsEnabled, "notifications"],
  ];
  return switches.filter(([enabled]) => enabled === false).map(([, name]) => name);
}
