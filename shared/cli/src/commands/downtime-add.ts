import { type MessageInitShape, toJson } from "@bufbuild/protobuf";
import {
  type ScheduleDowntimeRequestSchema,
  ScheduleDowntimeResponseSchema,
} from "@realmwatch/proto/svc/v1/command_pb";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { parseDuration } from "@realmwatch/shared/text/duration";
import { durationToProto, timestampToProto } from "@realmwatch/shared/wire/fields/time";
import { type CommandContext, cliCommand } from "../cli-command.ts";
import { wrongUsage } from "../output/command-failure.ts";
import { readTarget } from "../parse/read-target.ts";
import { readTime } from "../parse/read-time.ts";
import { formatTarget, selectorFlag } from "./target-command.ts";

type Said = {
  readonly start: string | undefined;
  readonly end: string | undefined;
  readonly for: string | undefined;
};
type Window = { readonly startMs: number; readonly endMs: number };

function readSpan(flag: string, text: string): Result<number, string> {
  const span = parseDuration(text);
  if (!span.ok) return fail(`-${flag}: ${JSON.stringify(text)} ${span.error}`);
  return span.value > 0 ? span : fail(`-${flag}: ${JSON.stringify(text)} must be above zero`);
}

/** From `-start` (now by default) until `-end`, or for `-for`. What is relative in `-end` counts from the start. */
function readWindow(said: Said, { clock, zone }: Pick<CommandContext, "clock" | "zone">): Result<Window, string> {
  const frame = { fromMs: clock.now(), zone, towards: "future" } as const;
  const start = readTime(said.start ?? "now", frame);
  if (!start.ok) return fail(`-start: ${JSON.stringify(said.start)} ${start.error}`);
  const startMs = start.value;
  if (said.end !== undefined && said.for !== undefined) return fail("-end and -for are both given: give one");
  if (said.for !== undefined) {
    const span = readSpan("for", said.for);
    return span.ok ? ok({ startMs, endMs: startMs + span.value }) : span;
  }
  if (said.end === undefined) return fail("-end or -for is needed: when the downtime ends, or how long it lasts");
  const end = readTime(said.end, { ...frame, fromMs: startMs });
  if (!end.ok) return fail(`-end: ${JSON.stringify(said.end)} ${end.error}`);
  return end.value > startMs ? ok({ startMs, endMs: end.value }) : fail("-end must be after -start");
}

type Kind = NonNullable<MessageInitShape<typeof ScheduleDowntimeRequestSchema>["kind"]>;

function readKind(flexible: string | undefined, triggeredBy: string | undefined): Result<Kind, string> {
  if (flexible !== undefined && triggeredBy !== undefined)
    return fail("-flexible and -triggered-by are both given: give one");
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
    start: { help: "When it starts; now by default.", placeholder: "TIME" },
    end: { help: "When it ends.", placeholder: "TIME" },
    for: { help: "Instead of an end: how long it lasts.", placeholder: "DURATION" },
    flexible: {
      help: "It lasts this long from the first problem between start and end.",
      placeholder: "DURATION",
    },
    "triggered-by": { help: "It is in effect while the downtime with this id is.", placeholder: "ID" },
    "include-services": { help: "For hosts: their services too." },
    comment: { help: "What it is for.", placeholder: "TEXT", required: true },
  },
  async run({ args: [word], flags, context }) {
    const target = readTarget(word, flags.selector);
    if (!target.ok) return wrongUsage(target.error);
    const window = readWindow(flags, context);
    if (!window.ok) return wrongUsage(window.error);
    const kind = readKind(flags.flexible, flags["triggered-by"]);
    if (!kind.ok) return wrongUsage(kind.error);
    const answer = await context.server.command("scheduleDowntime", {
      target: target.value,
      start: timestampToProto(window.value.startMs),
      end: timestampToProto(window.value.endMs),
      comment: flags.comment,
      kind: kind.value,
      includeServices: flags["include-services"],
    });
    if (!answer.ok) return answer;
    const { downtimeIds } = answer.value;
    return ok({
      json: toJson(ScheduleDowntimeResponseSchema, answer.value),
      text: () => [`scheduled for ${formatTarget(target.value)}:`, ...downtimeIds.map((id) => `  ${id}`)].join("\n"),
      ids: downtimeIds,
    });
  },
});
