import type { MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import type { ScheduleDowntimeRequestSchema } from "@realmwatch/proto/svc/v1/command_pb";
import { parseSpanMs } from "../../components/time/wall-time.ts";
import { dialogTexts } from "../../texts/dialog-texts.ts";

export const downtimeKinds = [
  { value: "fixed", label: dialogTexts.fixed, hint: dialogTexts.inEffectFromStartTo },
  {
    value: "flexible",
    label: dialogTexts.flexible,
    hint: dialogTexts.beginsWithTheFirstProblem,
  },
  { value: "triggered", label: dialogTexts.triggered, hint: dialogTexts.inEffectWhileAnotherDowntime },
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
  if (kind === "flexible" && parseSpanMs(lasts) === undefined) return dialogTexts.aFlexibleDowntimeNeedsA;
  return kind === "triggered" && triggeredBy === "" ? dialogTexts.aTriggeredDowntimeNeedsAnother : undefined;
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
  }
}
