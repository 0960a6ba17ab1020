import type { TimeperiodPlan } from "@realmwatch/shared/calendar/timeperiod";
import { openCalendar } from "@realmwatch/shared/calendar/timeperiod";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { FlagTable } from "@realmwatch/shared/platform/flags/flags";
import { type ProgramExit, subCommand } from "@realmwatch/shared/platform/process/run-program";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { formatDuration, maxDurationMs } from "@realmwatch/shared/text/duration";
import { formatInstant, parseInstant } from "@realmwatch/shared/text/instant";
import { nearestName } from "@realmwatch/shared/text/nearest-name";
import { formatDiagnostics, loadConfiguration } from "../check-config.ts";
import { agentFlags } from "../flags.ts";
import { documentFlags, outputFlag } from "./document-flags.ts";
import { openingsWithin, type PeriodSpan } from "./timeperiod-openings.ts";

const instant = (help: string) =>
  ({
    kind: "value",
    help,
    placeholder: "TIME",
    fallback: "",
    // Empty means "not given": the command reports that the flag is needed.
    parse: (text: string): Result<number | undefined, string> => (text === "" ? ok(undefined) : parseInstant(text)),
  }) as const;

const flags = {
  from: instant("Beginning of the time span, RFC 3339."),
  to: instant("End of the time span, RFC 3339; at most ten years later."),
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
    const plan = await loadConfiguration({ ...values, config: file }, systemClock);
    if (!plan.ok) return fail({ code: 1, lines: formatDiagnostics(plan.error) });
    const { timeperiods } = plan.value;
    const period = timeperiods.get(name);
    if (period === undefined) return fail(unknownPeriod(name, timeperiods, file));
    const openings = openingsWithin(openCalendar(timeperiods), name, span.value);
    return ok(values.output === "json" ? formatJson(openings) : formatTable(openings, period));
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

function unknownPeriod(name: string, timeperiods: ReadonlyMap<string, TimeperiodPlan>, file: string): string {
  const nearest = nearestName(name, timeperiods.keys());
  const hint = nearest === undefined ? "it declares none" : `did you mean ${JSON.stringify(nearest)}?`;
  return `timeperiod ${JSON.stringify(name)} is not declared in ${file}: ${hint}`;
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
