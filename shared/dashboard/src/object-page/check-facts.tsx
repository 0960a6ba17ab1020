import { durationMs } from "@bufbuild/protobuf/wkt";
import type { ReactNode } from "react";
import { optionalMs, type StatusItem } from "../api/status-item.ts";
import { StatusBadge } from "../status/status-badge.tsx";
import { wordOf } from "../status/status-word.ts";
import { showSpan } from "../time/duration.ts";
import { Due, Instant } from "../time/time-text.tsx";

/** How and when the object is checked. */
export function CheckFacts({ item: { key, row } }: { item: StatusItem }) {
  return (
    <section className="panel">
      <h2>Check</h2>
      <dl className="facts">
        <Fact name="Last check" value={<Instant atMs={optionalMs(row.lastCheck)} />} />
        {key.kind !== "process" && (
          <Fact
            name="Next check"
            value={row.nextCheck ? <Due atMs={optionalMs(row.nextCheck)} /> : "none is planned"}
          />
        )}
        <Fact name="Last change" value={<Instant atMs={optionalMs(row.lastChange)} />} />
        <Fact name="Last hard change" value={<Instant atMs={optionalMs(row.lastHardChange)} />} />
        <Fact name="Last hard state" value={<StatusBadge word={wordOf(row.lastHardStatus)} />} />
        <Fact name="Attempt" value={`${row.attempt} of ${row.maxAttempts}`} />
        {row.executionTime && <Fact name="Ran for" value={showSpan(durationMs(row.executionTime))} />}
        {row.latency && <Fact name="Started late by" value={showSpan(durationMs(row.latency))} />}
        {row.checkSource !== "" && <Fact name="Checked by" value={row.checkSource} />}
        {row.zone !== "" && <Fact name="Zone" value={row.zone} />}
        <Fact name="Check period" value={row.checkPeriod || "always"} />
        <Fact name="Flapping" value={`${row.flapping ? "yes" : "no"}, ${Math.round(row.flapValue * 100)} %`} />
        <Fact name="Switched off" value={switchedOff(row).join(", ") || "nothing"} />
      </dl>
    </section>
  );
}

function switchedOff(row: StatusItem["row"]): readonly string[] {
  const switches: [boolean | undefined, string][] = [
    [row.activeChecksEnabled, "active checks"],
    [row.passiveChecksEnabled, "passive checks"],
    [row.eventHandlerEnabled, "event handler"],
    [row.flapDetectionEnabled, "flap detection"],
    [row.notificationsEnabled, "notifications"],
  ];
  return switches.filter(([enabled]) => enabled === false).map(([, name]) => name);
}

export function Fact({ name, value }: { name: string; value: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
