import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { UnansweredRealm } from "@realmwatch/proto/svc/v1/query_pb";
import { ok, type Result } from "@realmwatch/shared/model/result";
import {
  labelOfReport,
  parseReportBy,
  type Report,
  type ReportRow,
  workOutReport,
} from "@realmwatch/shared/view/report/report";
import {
  budgetLeftText,
  byTitle,
  hoursText,
  objectText,
  reportCsv,
  reportRecord,
  rowTitle,
  summaryText,
} from "@realmwatch/shared/view/report/report-figures";
import {
  isMonth,
  isZone,
  laterMonth,
  monthAt,
  monthRange,
  pastRange,
} from "@realmwatch/shared/view/report/report-range";
import { type ReportSpan, reportText, spanText } from "@realmwatch/shared/view/report/report-text";
import { timestampToProto } from "@realmwatch/shared/wire/fields/time";
import { type CliContext, type CommandValues, cliCommand } from "../../cli-command.ts";
import { givenFlags } from "../../local/agent-command.ts";
import { localResult } from "../../local/local-result.ts";
import { type CliFailure, wrongUsage } from "../../output/cli-failure.ts";
import { unansweredLines } from "../../output/format-realm.ts";
import { achievedCell, evidenceCell } from "../../output/format-service-level.ts";
import { formatTable, realmColumns, type Screen, type TextColumn } from "../../output/table.ts";
import { readTimeFlags } from "../../parse/read-time.ts";

const rangeFlags = {
  month: { help: "Calendar month such as 2026-10; by default the last one that is over.", placeholder: "MONTH" },
  from: { help: "Start of a free range: 2026-10-01, 720h (ago) or RFC 3339.", placeholder: "TIME" },
  to: { help: "End of the free range, exclusive; now by default.", placeholder: "TIME" },
  zone: { help: "IANA zone of the month and of dates; by default that of this machine.", placeholder: "ZONE" },
} as const;

const mailFlags = {
  config: { help: "With -schedule: the document that declares the contact.", placeholder: "FILE" },
  "smtp-url": { help: "With -schedule: SMTP server, which may name a user.", placeholder: "URL" },
  "smtp-from": { help: "With -schedule: sender of the mail.", placeholder: "ADDRESS" },
  "smtp-password-file": {
    help: "With -schedule: file that holds the password of the SMTP user.",
    placeholder: "PATH",
  },
} as const;

const flags = {
  ...rangeFlags,
  by: { help: "Rows: slo, realm or label:KEY; slo by default.", placeholder: "ROWS" },
  realm: { help: "Only this realm.", placeholder: "NAME" },
  csv: { help: "Print comma-separated values, whose columns are the fields of -output json." },
  schedule: {
    help: "Send the report now to a mail contact, as a timer does each month, instead of printing it.",
    placeholder: "CONTACT",
  },
  ...mailFlags,
} as const;

/** Month or free range of the flags, up to now. Fails with a sentence. */
function readSpan(values: CommandValues<typeof rangeFlags>, context: CliContext): Result<ReportSpan, CliFailure> {
  const nowMs = context.clock.now();
  const { zone = context.zone, month: given, from, to } = values;
  if (!isZone(zone)) return wrongUsage(`-zone: ${JSON.stringify(zone)} is not an IANA zone such as Europe/Berlin`);
  if (given !== undefined && (from ?? to) !== undefined) return wrongUsage("-month excludes -from and -to");
  if (given !== undefined && !isMonth(given))
    return wrongUsage(`-month: ${JSON.stringify(given)} is not a month: write 2026-10`);
  if (to !== undefined && from === undefined) return wrongUsage("-to requires -from");
  const times = readTimeFlags(["from", "to"], values, { clock: context.clock, zone });
  if (!times.ok) return wrongUsage(times.error);
  const month = from === undefined ? (given ?? laterMonth(monthAt(nowMs, zone), -1)) : undefined;
  const { from: fromTime, to: toTime } = times.value;
  const range =
    month === undefined
      ? { fromMs: fromTime ? timestampMs(fromTime) : 0, toMs: toTime ? timestampMs(toTime) : nowMs }
      : monthRange(month, zone);
  const past = pastRange(range, nowMs);
  return past.ok ? ok({ ...past.value, zone, month }) : wrongUsage(`the range ${past.error}`);
}

function columnsOf({ by, rows }: Report): TextColumn<ReportRow>[] {
  return [
    ...(by.kind === "slo" ? realmColumns(rows, ({ realm }) => realm) : []),
    { title: byTitle(by).toUpperCase(), cell: (row) => rowTitle(row, by), flexible: true },
    { title: "ACHIEVED", cell: achievedCell },
    { title: "TARGET", cell: ({ target }) => (target === undefined ? "" : `${Number(target.toFixed(4))} %`) },
    { title: "BUDGET LEFT", cell: budgetLeftText },
    { title: "EVIDENCE", cell: evidenceCell },
    { title: "DOWN", cell: ({ downHours }) => hoursText(downHours) },
    { title: "DOWNTIME", cell: ({ downtimeHours }) => hoursText(downtimeHours) },
    { title: "OBJECTS", cell: ({ objects }) => String(objects), wideOnly: true },
    {
      title: "WORST",
      cell: ({ worst }) => worst.map((one) => `${objectText(one)} ${hoursText(one.downHours)}`).join(", "),
      flexible: true,
    },
  ];
}

function formatReport(report: Report, span: ReportSpan, screen: Screen): string {
  const heading = `${spanText(span)}\n${summaryText(report)}`;
  return report.rows.length === 0 ? heading : `${heading}\n\n${formatTable(columnsOf(report), report.rows, screen)}`;
}

const toRecord = (
  report: Report,
  { fromMs, toMs, zone, month }: ReportSpan,
  unanswered: readonly UnansweredRealm[],
) => ({
  ...{ from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString(), zone, month },
  ...reportRecord(report),
  unanswered: unanswered.map(({ realm, code, message }) => ({ realm, code, message })),
});

type Mailed = {
  readonly contact: string;
  readonly report: Report;
  readonly span: ReportSpan;
  readonly unanswered: readonly UnansweredRealm[];
};

/** [RP11] Has the agent's program send the report, because it knows contacts and mail servers. */
async function mailReport(
  { contact, report, span, unanswered }: Mailed,
  { runAgent }: CliContext,
  settings: CommandValues<typeof mailFlags>,
) {
  const mail = {
    subject: `Service levels ${spanText(span)}: ${summaryText(report)}`,
    text: reportText(report, span, unanswered),
    attachment: { name: `report-${span.month ?? "range"}.csv`, csv: reportCsv(report) },
  };
  const args = ["mail-report", ...givenFlags(settings), contact];
  return localResult(await runAgent({ args, input: JSON.stringify(mail) }));
}

export const reportCliCommand = cliCommand({
  path: "report",
  args: [],
  summary: "Show the service levels of a month, by objective, realm or label, or send them to a mail contact.",
  flags,
  async run({ flags: values, context }) {
    const { schedule: contact, by: text = "slo", csv, realm = context.server.realm } = values;
    const span = readSpan(values, context);
    if (!span.ok) return span;
    const by = parseReportBy(text);
    if (!by.ok) return wrongUsage(`-by: ${JSON.stringify(text)} ${by.error}`);
    const answer = await context.server.query("queryAvailability", {
      ...{ realm, label: labelOfReport(by.value) },
      ...{ from: timestampToProto(span.value.fromMs), to: timestampToProto(span.value.toMs) },
    });
    if (!answer.ok) return answer;
    const { slos, unanswered } = answer.value;
    const report = workOutReport(slos, by.value);
    if (contact !== undefined) {
      // A missing realm is in the mail. As a failure, it would make a timer send the mail again.
      for (const line of unansweredLines(unanswered)) context.report(line);
      const { config, "smtp-url": url, "smtp-from": from, "smtp-password-file": password } = values;
      const settings = { config, "smtp-url": url, "smtp-from": from, "smtp-password-file": password };
      return mailReport({ contact, report, span: span.value, unanswered }, context, settings);
    }
    return ok({
      json: toRecord(report, span.value, unanswered),
      list: "rows",
      text: (screen) => (csv ? reportCsv(report) : formatReport(report, span.value, screen)),
      ids: report.rows.map(({ name }) => name),
      failures: unansweredLines(unanswered),
    });
  },
});
