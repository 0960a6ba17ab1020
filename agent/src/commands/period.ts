import type { TimeperiodPlan } from "@realmwatch/shared/calendar/timeperiod";
import { openCalendar } from "@realmwatch/shared/calendar/timeperiod";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { FlagTable } from "@realmwatch/shared/platform/flags/flags";
import { type ProgramExit, subCommand } from "@realmwatch/shared/platform/process/run-program";
import { formatDuration, maxDurationMs } from "@realmwatch/shared/text/duration";
import { formatInstant } from "@realmwatch/shared/text/instant";
import { agentFlags } from "../flags.ts";
import { documentFlags, outputFlag } from "./document-flags.ts";
import { findDeclared, instantFlag, readDocument } from "./read-document.ts";
import { openingsWithin, type PeriodSpan } from "./timeperiod-openings.ts";

const flags = {
  from: instantFlag("Beginning of the time span, RFC 3339."),
  to: instantFlag("End of the time span, RFC 3339; at most ten years later."),
  output: { ...outputFlag, help: "`table` in the period's time zone, or `json` in UTC." },
  ...documentFlags,
  realm: agentFlags.realm,
} as const satisfies FlagTable;

/** `period FILE NAME -from TIME -to TIME`: lists the times at which a timeperiod of a document is open. */
export const periodSubCommand = subCommand({
  words: ["FILE", "NAME"],
  flags,
  async run({ words: [file = "", name = ""], values }) {
    const span = spanOf(values.from, values.to);
    if (!span.ok) return fail({ code: 2, lines: [`realmwatch-agent: ${span.error}`] } satisfies ProgramExit);
    const plan = await readDocument({ ...values, config: file });
    if (!plan.ok) return plan;
    const { timeperiods } = plan.value;
    const period = findDeclared(["timeperiod", name], timeperiods, ` in ${file}`);
    if (!period.ok) return period;
    const openings = openingsWithin(openCalendar(timeperiods), name, span.value);
    return ok(values.output === "json" ? formatJson(openings) : formatTable(openings, period.value));
  },
});

function spanOf(fromMs: number | undefined, toMs: number | undefined): Result<PeriodSpan, string> {
  if (fromMs === undefined) return fail("-from is needed: an RFC 3339 instant");
  if (toMs === undefined) return fail("-to is needed: an RFC 3339 instant");
  if (toMs <= fromMs) return fail("-to must be after -from");
  if (toMs - fromMs > maxDurationMs)
    return fail(`-to is more than ten years (${formatDuration(maxDurationMs)}) after -from`);
  return ok({ fromMs, toMs });
}

function formatJson(openings: readonly PeriodSpan[]): string {
  return JSON.stringify(
    openings.map(({ fromMs, toMs }) => ({ open: formatInstant(fromMs), close: formatInstant(toMs) })),
    undefined,
    2,
  );
}

/** Formats a line for each opening, in local time of the period's time zone. */
function formatTable(openings: readonly PeriodSpan[], { timezone }: TimeperiodPlan): string {
  if (openings.length === 0) return "closed throughout";
  const heading = `${"OPEN".padEnd(30)}  ${"CLOSE".padEnd(30)}  LENGTH   (${timezone})`;
  const lines = openings.map(
    ({ fromMs, toMs }) =>
      `${formatLocalTime(fromMs, timezone)}  ${formatLocalTime(toMs, timezone)}  ${formatDuration(toMs - fromMs)}`,
  );
  return [heading, ...lines].join("\n");
}

/** Formats `Sun 2026-03-29 03:00:00 +02:00`, with the weekday because calendars are checked by it. */
function formatLocalTime(atMs: number, zone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(zone);
  const weekday = local.toLocaleString("en", { weekday: "short" });
  return `${weekday} ${local.toPlainDate()} ${local.toPlainTime().toString({ smallestUnit: "second" })} ${local.offset}`;
}
