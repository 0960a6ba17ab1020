import type { Downtime } from "@realmwatch/proto/svc/v1/query_pb";
import { useNow } from "../../api/context/app-context.tsx";
import { optionalMs } from "../../api/status/status-item.ts";
import { formatTimeSpan } from "../time/format-time-span.ts";

/** Elapsed part of a downtime that is in effect, and the time to its end. */
export function DowntimeProgress({ downtime: { kind, start, end } }: { downtime: Downtime }) {
  const nowMs = useNow();
  const active = kind.case === "flexible" || kind.case === "triggered" ? kind.value : undefined;
  const fromMs = optionalMs(active?.activeFrom ?? start) ?? nowMs;
  const untilMs = optionalMs(active?.activeUntil ?? end) ?? nowMs;
  return (
    <>
      <progress max={Math.max(1, untilMs - fromMs)} value={nowMs - fromMs} aria-label="Elapsed part of the downtime" />{" "}
      ends in {formatTimeSpan(untilMs - nowMs)}
    </>
  );
}
