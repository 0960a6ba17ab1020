import { type Calendar, openCalendar, type TimeperiodPlan } from "@realmwatch/shared/calendar/timeperiod";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { FlagTable } from "@realmwatch/shared/platform/flags/flags";
import { type ProgramExit, subCommand } from "@realmwatch/shared/platform/process/run-program";
import { formatDuration, maxDurationMs } from "@realmwatch/shared/text/duration";
import { formatInstant } from "@realmwatch/shared/text/instant";
import { agentFlags } from "../flags.ts";
import { documentFlags, findDeclared, instantFlag, outputFlag, readDocument } from "./read-document.ts";

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

/** Half-open time span, Unix ms. */
export type PeriodSpan = { readonly fromMs: number; readonly toMs: number };

/** Time that a calendar searches ahead at least, ms: two years. */
const horizonMs = 730 * 86_400_000;

/** Openings of a period within a span, in order and clipped to it; adjoining openings are merged. */
export function openingsWithin(calendar: Calendar, name: string, { fromMs, toMs }: PeriodSpan): PeriodSpan[] {
  const openings: PeriodSpan[] = [];
  for (let atMs = fromMs; atMs < toMs; ) {
    const openMs = nextChangeWithin((ms) => calendar.nextOpen(name, ms), { fromMs: atMs, toMs });
    if (openMs === toMs) break;
    const closeMs = nextChangeWithin((ms) => calendar.nextClose(name, ms), { fromMs: openMs, toMs });
    openings.push({ fromMs: openMs, toMs: closeMs });
    atMs = closeMs;
  }
  return openings;
}

/** Time of the next opening or closing, at the latest the end; searched in steps of the calendar's horizon. */
function nextChangeWithin(next: (fromMs: number) => number | undefined, { fromMs, toMs }: PeriodSpan): number {
  for (let atMs = fromMs; atMs < toMs; atMs += horizonMs) {
    const changeMs = next(atMs);
    if (changeMs !== undefined) return Math.min(changeMs, toMs);
  }
  return toMs;
}
