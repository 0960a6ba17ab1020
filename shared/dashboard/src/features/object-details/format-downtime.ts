import { durationMs } from "@bufbuild/protobuf/wkt";
import type { Downtime } from "@realmwatch/proto/svc/v1/query_pb";
import { formatTimeSpan } from "../../components/time/format-time-span.ts";

/** Whether a downtime is in effect or what it waits for. */
export function formatDowntimeState({ kind, inEffect }: Pick<Downtime, "kind" | "inEffect">): string {
  if (inEffect === true) return "In effect";
  switch (kind.case) {
    case "flexible":
      return "Waits for a problem";
    case "triggered":
      return "Waits for another downtime";
    case "recurring":
      return "Comes again";
    default:
      return "Scheduled";
  }
}

/** What kind it is, with what makes it that; empty of a fixed one. */
export function formatDowntimeKind({ kind }: Pick<Downtime, "kind">): string {
  switch (kind.case) {
    case "flexible":
      return kind.value.duration
        ? `flexible: ${formatTimeSpan(durationMs(kind.value.duration))} from the first problem`
        : "flexible";
    case "triggered":
      return `triggered by ${kind.value.triggeredBy}`;
    case "recurring":
      return `recurring: “${kind.value.name}”`;
    default:
      return "";
  }
}
