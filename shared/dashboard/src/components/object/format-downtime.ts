import { durationMs } from "@bufbuild/protobuf/wkt";
import type { Downtime } from "@realmwatch/proto/svc/v1/query_pb";
import { formatTimeSpan } from "../time/format-time-span.ts";

/** State of a downtime: in effect, or the event that it waits for. */
export function formatDowntimeState({ kind, inEffect }: Pick<Downtime, "kind" | "inEffect">): string {
  if (inEffect === true) return "In effect";
  switch (kind.case) {
    case "flexible":
      return "Waiting for a problem";
    case "triggered":
      return "Waiting for another downtime";
    case "recurring":
      return "Recurring";
    default:
      return "Scheduled";
  }
}

/** Kind of a downtime with its parameter; empty for a fixed one, and for a recurring one whose state says it already. */
export function formatDowntimeKind({ kind, inEffect }: Pick<Downtime, "kind" | "inEffect">): string {
  switch (kind.case) {
    case "flexible":
      return kind.value.duration
        ? `flexible: ${formatTimeSpan(durationMs(kind.value.duration))} from the first problem`
        : "flexible";
    case "triggered":
      return `triggered by ${kind.value.triggeredBy}`;
    case "recurring":
      return inEffect === true ? `recurring: “${kind.value.name}”` : `“${kind.value.name}”`;
    default:
      return "";
  }
}
