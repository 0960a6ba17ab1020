import { toJson } from "@bufbuild/protobuf";
import {
  type ObjectAvailability,
  type QueryAvailabilityResponse,
  QueryAvailabilityResponseSchema,
  type SloReport,
} from "@realmwatch/proto/svc/v1/query_pb";
import { ok } from "@realmwatch/shared/model/result";
import { type Status, statuses } from "@realmwatch/shared/model/status";
import { availabilityCsv } from "@realmwatch/shared/view/report/availability-csv";
import { statusCodec } from "@realmwatch/shared/wire/fields/enums";
import { cliCommand } from "../../cli-command.ts";
import { wrongUsage } from "../../output/cli-failure.ts";
import { formatLocalTime, refText } from "../../output/format-object.ts";
import { unansweredLines } from "../../output/format-realm.ts";
import { achievedCell, evidenceCell } from "../../output/format-service-level.ts";
import { formatTable, realmColumns, type Screen, type TextColumn } from "../../output/table.ts";
import { readTimeFlags } from "../../parse/read-time.ts";

/** Objective with one of its objects. */
type SloObject = { readonly slo: SloReport; readonly object: ObjectAvailability };

/** Seconds as `3h 20m 5s`; empty for none. */
function formatSeconds(seconds: number): string {
  if (seconds === 0) return "";
  const whole = Math.round(seconds);
  const parts = [
    [Math.floor(whole / 86_400), "d"],
    [Math.floor(whole / 3_600) % 24, "h"],
    [Math.floor(whole / 60) % 60, "m"],
    [whole % 60, "s"],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count}${unit}`);
  return shown.length === 0 ? `${seconds.toFixed(1)}s` : shown.slice(0, 3).join(" ");
}

/** Seconds that an object spent in a status; `none`: without evidence. */
function secondsIn({ seconds }: ObjectAvailability, status: Status | "none"): number {
  const number = status === "none" ? 0 : statusCodec.toProto(status);
  return seconds.find((entry) => entry.status === number)?.seconds ?? 0;
}

function summaryColumns(slos: readonly SloReport[]): TextColumn<SloReport>[] {
  return [
    ...realmColumns(slos, ({ realm }) => realm),
    { title: "SLO", cell: ({ name }) => name, flexible: true },
    { title: "TARGET", cell: ({ target }) => `${target} %` },
    { title: "ACHIEVED", cell: achievedCell },
    {
      title: "BUDGET LEFT",
      cell: ({ errorBudgetLeft: left }) =>
        left === undefined ? "" : `${(Math.floor(left * 1_000) / 10).toFixed(1)} %`,
    },
    { title: "BURN RATE", cell: ({ burnRate }) => burnRate?.toFixed(2) ?? "" },
    { title: "EVIDENCE", cell: evidenceCell },
    { title: "OBJECTS", cell: ({ objects }) => String(objects.length) },
  ];
}

const timeColumns: readonly (readonly [title: string, status: Status | "none"])[] = [
  ...statuses.map((status) => [status.toUpperCase(), status] as const),
  ["NO EVIDENCE", "none"],
];

function objectColumns(objects: readonly SloObject[]): TextColumn<SloObject>[] {
  return [
    ...realmColumns(objects, ({ slo }) => slo.realm),
    { title: "SLO", cell: ({ slo }) => slo.name, flexible: true },
    { title: "OBJECT", cell: ({ object }) => refText(object.object), flexible: true },
    ...timeColumns.map(
      ([title, status]): TextColumn<SloObject> => ({
        title,
        cell: ({ object }) => formatSeconds(secondsIn(object, status)),
      }),
    ),
    { title: "DOWNTIME", cell: ({ object }) => formatSeconds(object.downtimeSeconds) },
    { title: "EVIDENCE", cell: ({ object }) => evidenceCell(object) },
  ];
}

const objectsOf = (slos: readonly SloReport[]): readonly SloObject[] =>
  slos.flatMap((slo) => slo.objects.map((object) => ({ slo, object })));

function formatReport({ slos, from, to }: QueryAvailabilityResponse, byObject: boolean, screen: Screen): string {
  if (slos.length === 0) return "no service level objectives";
  const range = `${formatLocalTime(from, screen)} to ${formatLocalTime(to, screen)}`;
  const table = byObject
    ? formatTable(objectColumns(objectsOf(slos)), objectsOf(slos), screen)
    : formatTable(summaryColumns(slos), slos, screen);
  return `${range}\n${table}`;
}

export const sloCliCommand = cliCommand({
  path: "slo",
  args: ["[SLO]"],
  summary: "Show availability, error budget and burn rate of service level objectives.",
  flags: {
    realm: { help: "Only this realm.", placeholder: "NAME" },
    from: { help: "Start of the range: 720h (ago), 2026-03-01 00:00 or RFC 3339.", placeholder: "TIME" },
    to: { help: "End of the range, exclusive; now by default.", placeholder: "TIME" },
    objects: { help: "Show the time of each object by status." },
    csv: {
      help: "Print comma-separated values, one line for each object; times in seconds.",
    },
  },
  async run({ args: [slo = ""], flags, context }) {
    const range = readTimeFlags(["from", "to"], flags, context);
    if (!range.ok) return wrongUsage(range.error);
    const realm = flags.realm ?? context.server.realm;
    const answer = await context.server.query("queryAvailability", { slo, realm, ...range.value });
    if (!answer.ok) return answer;
    const { slos, unanswered } = answer.value;
    return ok({
      json: toJson(QueryAvailabilityResponseSchema, answer.value),
      list: "slos",
      text: (screen) => (flags.csv ? availabilityCsv(slos) : formatReport(answer.value, flags.objects, screen)),
      ids: slos.map(({ name }) => name),
      failures: unansweredLines(unanswered),
    });
  },
});
