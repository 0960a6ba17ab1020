import type { MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import type { ScheduleDowntimeRequestSchema } from "@realmwatch/proto/svc/v1/command_pb";
import { never } from "@realmwatch/shared/model/never";
import { parseSpanMs } from "../../components/time/wall-time.ts";

export const downtimeKinds = [
  { value: "fixed", label: "Fixed", hint: "In effect from start to end, whatever the state is." },
  {
    value: "flexible",
    label: "Flexible",
    hint: "Begins with the first problem between start and end, and lasts as long as entered below.",
  },
  { value: "triggered", label: "Triggered", hint: "In effect while another downtime is, such as that of a router." },
] as const;

/** Kind of a downtime as a form has it. */
export type DowntimeKindForm = {
  readonly kind: (typeof downtimeKinds)[number]["value"];
  /** Duration of a flexible downtime as it was typed. */
  readonly lasts: string;
  /** Id of the downtime that starts a triggered one. */
  readonly triggeredBy: string;
};

/** Reason why the kind is not complete; undefined when it is. */
export function downtimeKindError({ kind, lasts, triggeredBy }: DowntimeKindForm): string | undefined {
  if (kind === "flexible" && parseSpanMs(lasts) === undefined)
    return "A flexible downtime needs a duration such as 90m or 2h.";
  return kind === "triggered" && triggeredBy === "" ? "A triggered downtime needs another downtime." : undefined;
}

type WireDowntimeKind = Extract<
  NonNullable<MessageInitShape<typeof ScheduleDowntimeRequestSchema>["kind"]>,
  { readonly case: string }
>;

/** Kind on the wire. */
export function wireDowntimeKind({ kind, lasts, triggeredBy }: DowntimeKindForm): WireDowntimeKind {
  switch (kind) {
    case "fixed":
      return { case: "fixed", value: {} };
    case "flexible":
      return { case: "flexible", value: { duration: durationFromMs(parseSpanMs(lasts) ?? 0) } };
    case "triggered":
      return { case: "triggered", value: { triggeredBy } };
    default:
      return never(kind);
  }
}
