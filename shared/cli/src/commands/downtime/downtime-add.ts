import { type MessageInitShape, toJson } from "@bufbuild/protobuf";
import {
  type ScheduleDowntimeRequestSchema,
  ScheduleDowntimeResponseSchema,
} from "@realmwatch/proto/svc/v1/command_pb";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { formatDuration, parseDuration } from "@realmwatch/shared/text/duration";
import { counted } from "@realmwatch/shared/view/plural";
import { durationToProto, timestampToProto } from "@realmwatch/shared/wire/fields/time";
import { type CliContext, cliCommand } from "../../cli-command.ts";
import { wrongUsage } from "../../output/cli-failure.ts";
import { formatLocalTime } from "../../output/format-object.ts";
import { readTarget } from "../../parse/read-target.ts";
import { readTime } from "../../parse/read-time.ts";
import { followSelection } from "../selection-progress.ts";
import { formatCounts, formatTarget, selectorFlag } from "../target-command.ts";

type TimeRangeFlags = Readonly<Record<"start" | "end" | "for", string | undefined>>;
type Window = { readonly startMs: number; readonly endMs: number };

function readSpan(flag: string, text: string): Result<number, string> {
  const span = parseDuration(text);
  if (!span.ok) return fail(`-${flag}: ${JSON.stringify(text)} ${span.error}`);
  return span.value > 0 ? span : fail(`-${flag}: ${JSON.stringify(text)} must be above zero`);
}

/** Reads the time range: `-start` (now by default) and `-end` or `-for`. A relative `-end` counts from the start. */
function readWindow(
  flags: TimeRangeFlags,
  { clock, zone }: Pick<CliContext, "clock" | "zone">,
): Result<Window, string> {
  const frame = { fromMs: clock.now(), zone, direction: "future" } as const;
  const start = readTime(flags.start ?? "now", frame);
  if (!start.ok) return fail(`-start: ${JSON.stringify(flags.start)} ${start.error}`);
  const startMs = start.value;
  if (flags.end !== undefined && flags.for !== undefined) return fail("-end and -for exclude each other");
  if (flags.for !== undefined) {
    const span = readSpan("for", flags.for);
    return span.ok ? ok({ startMs, endMs: startMs + span.value }) : span;
  }
  if (flags.end === undefined) return fail("-end or -for is required: the end or the duration of the downtime");
  const end = readTime(flags.end, { ...frame, fromMs: startMs });
  if (!end.ok) return fail(`-end: ${JSON.stringify(flags.end)} ${end.error}`);
  return end.value > startMs ? ok({ startMs, endMs: end.value }) : fail("-end must be after -start");
}

type Kind = NonNullable<MessageInitShape<typeof ScheduleDowntimeRequestSchema>["kind"]>;

function readKind(flexible: string | undefined, triggeredBy: string | undefined): Result<Kind, string> {
  if (flexible !== undefined && triggeredBy !== undefined)
    return fail("-flexible and -triggered-by exclude each other");
  if (triggeredBy !== undefined) return ok({ case: "triggered", value: { triggeredBy } });
  if (flexible === undefined) return ok({ case: "fixed", value: {} });
  const span = readSpan("flexible", flexible);
  return span.ok ? ok({ case: "flexible", value: { duration: durationToProto(span.value) } }) : span;
}

export const addDowntimeCliCommand = cliCommand({
  path: "downtime add",
  args: ["[TARGET]"],
  summary: "Schedule a downtime for a host, a service, a process or a selection.",
  flags: {
    selector: selectorFlag,
    start: { help: "Start of the downtime; now by default.", placeholder: "TIME" },
    end: { help: "End of the downtime.", placeholder: "TIME" },
    for: { help: "Duration of the downtime, instead of an end.", placeholder: "DURATION" },
    flexible: {
      help: "Duration from the first problem between start and end.",
      placeholder: "DURATION",
    },
    "triggered-by": { help: "Id of the downtime that this one is in effect with.", placeholder: "ID" },
    "include-services": { help: "For hosts: include their services." },
    comment: { help: "Reason for the downtime.", placeholder: "TEXT", required: true },
  },
  async run({ args: [word], flags, context }) {
    const target = readTarget(word, flags.selector);
    if (!target.ok) return wrongUsage(target.error);
    const window = readWindow(flags, context);
    if (!window.ok) return wrongUsage(window.error);
    const kind = readKind(flags.flexible, flags["triggered-by"]);
    if (!kind.ok) return wrongUsage(kind.error);
    if (flags.selector !== undefined) followSelection(context, "scheduleDowntime", flags.selector);
    const changeId = context.server.mintId();
    const answer = await context.server.execute("scheduleDowntime", {
      changeId,
      target: target.value,
      start: timestampToProto(window.value.startMs),
      end: timestampToProto(window.value.endMs),
      comment: flags.comment,
      kind: kind.value,
      includeServices: flags["include-services"],
    });
    if (!answer.ok) return answer;
    const { message, counts } = answer.value;
    const { downtimeIds } = message;
    const { startMs, endMs } = window.value;
    return ok({
      json: { ...(toJson(ScheduleDowntimeResponseSchema, message) as object), changeId },
      text: (screen) =>
        [
          `scheduled ${counted(downtimeIds.length, "downtime")} for ${formatTarget(target.value)}`,
          ...(counts.length === 0 ? [] : [`objects  ${formatCounts(counts)}`]),
          `from     ${formatLocalTime(timestampToProto(startMs), screen)}`,
          `to       ${formatLocalTime(timestampToProto(endMs), screen)} (${formatDuration(endMs - startMs)})`,
          `change   ${changeId}`,
        ].join("\n"),
      ids: downtimeIds,
    });
  },
});
