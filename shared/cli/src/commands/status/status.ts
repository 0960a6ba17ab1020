import { type MessageInitShape, toJson } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { type PerfPoint, StateType } from "@realmwatch/proto/svc/v1/common_pb";
import {
  type Contact,
  type ListStatusRequestSchema,
  type ListStatusResponse,
  ListStatusResponseSchema,
  type StatusRow,
  type StatusSummary,
  type UnmappedAlert,
} from "@realmwatch/proto/svc/v1/query_pb";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { sizeOfImpact } from "@realmwatch/shared/model/row";
import { counted } from "@realmwatch/shared/view/plural";
import { statusCodec } from "@realmwatch/shared/wire/fields/enums";
import { type CliContext, cliCommand } from "../../cli-command.ts";
import { type CliFailure, wrongUsage } from "../../output/cli-failure.ts";
import type { CliOutput } from "../../output/cli-output.ts";
import { contactNotes } from "../../output/format-contact.ts";
import { atMsOf, formatAge, formatLocalTime, refText, statusCell, waitingText } from "../../output/format-object.ts";
import { pairNotes, realmNotes } from "../../output/format-realm.ts";
import { type Cell, formatTable, realmColumns, type Screen, type TextColumn } from "../../output/table.ts";
import { readTimeFlags } from "../../parse/read-time.ts";
import { judgeSelection } from "./status-plugin.ts";
import { readInterval, watchOutput } from "./watch-output.ts";

/** Reasons why a problem is handled, and flapping. */
function marksOf(row: StatusRow): string {
  const marks = [
    row.acknowledgement !== undefined && "acknowledged",
    row.inDowntime === true && "downtime",
    row.suppressedBy.length > 0 && `suppressed by ${row.suppressedBy.join(", ")}`,
    row.flapping === true && "flapping",
  ];
  return marks.filter((mark) => mark !== false).join(", ");
}

function attemptOf(row: StatusRow): string {
  const status = statusCodec.fromProto(row.status);
  if (status === "ok" || status === "pending") return "";
  return row.stateType === StateType.SOFT ? `${row.attempt}/${row.maxAttempts}` : "hard";
}

const formatPoint = ({ label, value, uom }: PerfPoint): string => `${label}=${value ?? "U"}${uom}`;

/** Status of a row; that of a stale one is marked as last known, in gray. */
function rowStatusCell({ status, stale }: StatusRow): Cell {
  const cell = statusCell(status);
  return stale === true ? { text: `${cell.text} (last known)`.trim(), colour: "gray" } : cell;
}

/** Column of the objects behind each problem; left out when all problems are without such objects. */
const impactColumns = (rows: readonly StatusRow[]): TextColumn<StatusRow>[] =>
  rows.some(({ impact }) => impact !== undefined) ? [{ title: "IMPACT", cell: impactText }] : [];

function impactText({ impact }: StatusRow): string {
  const behind = sizeOfImpact(impact);
  return behind === 0 ? "" : `${behind} behind it`;
}

/** Column of the failing contacts for which notifications wait; none when none waits. */
const deliveryColumns = (screen: Screen, rows: readonly StatusRow[]): TextColumn<StatusRow>[] =>
  rows.some(({ notification }) => notification?.waitingFor !== undefined)
    ? [{ title: "DELIVERY", cell: ({ notification }) => waitingText(notification?.waitingFor, screen), flexible: true }]
    : [];

function statusColumns(screen: Screen, rows: readonly StatusRow[]): TextColumn<StatusRow>[] {
  return [
    ...realmColumns(rows, ({ realm }) => realm),
    { title: "STATUS", cell: rowStatusCell },
    { title: "OBJECT", cell: ({ object }) => refText(object), flexible: true },
    ...impactColumns(rows),
    { title: "FOR", cell: ({ lastChange }) => formatAge(lastChange, screen) },
    { title: "ATTEMPT", cell: attemptOf },
    { title: "HANDLED", cell: marksOf, flexible: true },
    ...deliveryColumns(screen, rows),
    { title: "LAST CHECK", cell: ({ lastCheck }) => formatLocalTime(lastCheck, screen), wideOnly: true },
    { title: "NEXT CHECK", cell: ({ nextCheck }) => formatLocalTime(nextCheck, screen), wideOnly: true },
    { title: "SOURCE", cell: ({ checkSource }) => checkSource, wideOnly: true },
    { title: "ZONE", cell: ({ zone }) => zone, wideOnly: true },
    { title: "OUTPUT", cell: ({ output }) => output, flexible: true },
    { title: "PERFDATA", cell: ({ perfdata }) => perfdata.map(formatPoint).join(" "), wideOnly: true },
  ];
}

/** Number of objects by name of the status. */
function countsByStatus(summary: StatusSummary | undefined): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { status, count } of summary?.counts ?? []) {
    const word = statusCodec.fromProto(status) ?? "other";
    counts.set(word, (counts.get(word) ?? 0) + count);
  }
  return counts;
}

/** Summary of the counts: `26 objects: 1 critical, 25 ok, 12 of them last known; 1 unhandled, 4 objects behind it`. */
function summaryOf(summary: StatusSummary | undefined): string {
  const counts = countsByStatus(summary);
  const lastKnown = countsByStatus(summary?.lastKnown);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (total === 0) return "no objects";
  const shown = [...counts]
    .filter(([, count]) => count > 0)
    .map(([word, count]) => {
      const stale = lastKnown.get(word) ?? 0;
      return `${count} ${word}${stale === 0 ? "" : `, ${stale} of them last known`}`;
    });
  return `${counted(total, "object")}: ${shown.join(", ")}; ${unhandledText(summary)}`;
}

function unhandledText({ unhandled, behind }: Pick<StatusSummary, "unhandled" | "behind"> = noUnhandled): string {
  const behindText = `, ${counted(behind, "object")} behind ${unhandled === 1 ? "it" : "them"}`;
  return `${unhandled} unhandled${behind === 0 ? "" : behindText}`;
}

const noUnhandled = { unhandled: 0, behind: 0 };

/** Line about the alerts of receivers that are about no object; none without such alerts. */
function alertNotes([last, ...others]: readonly UnmappedAlert[], screen: Screen): string[] {
  if (last === undefined) return [];
  const labels = Object.entries(last.labels).map(([name, value]) => `${name}=${value}`);
  const more = others.length === 0 ? "" : `, and ${counted(others.length, "other")}`;
  const seen = `last seen ${formatAge(last.lastSeen, screen)} ago`;
  const receiver = last.realm === "" ? last.receiver : `${last.receiver} in realm ${last.realm}`;
  return [`an alert of receiver ${receiver} is about no object, ${seen}: ${labels.join(", ")}${more}`];
}

type FailingParts = { readonly contacts: readonly Contact[]; readonly alerts: readonly UnmappedAlert[] };

function formatStatus(status: ListStatusResponse, parts: FailingParts, now: Screen): string {
  const { rows, realms, summary, pair } = status;
  const notes = [
    ...contactNotes(parts.contacts, now),
    ...realmNotes(realms, now),
    ...pairNotes(pair === undefined ? realms : [{ name: "", pair }]),
    ...alertNotes(parts.alerts, now),
  ];
  const table = rows.length === 0 ? [] : [formatTable(statusColumns(now, rows), rows, now), ""];
  return [...notes, ...(notes.length === 0 ? [] : [""]), ...table, summaryOf(summary)].join("\n");
}

/** State at an earlier time: ages count from it, and rows are not marked by the freshness that realms have now. */
function formatPastStatus({ rows, summary }: ListStatusResponse, at: Timestamp, now: Screen): string {
  const screen = { ...now, nowMs: atMsOf(at) ?? now.nowMs };
  const past = rows.map((row) => ({ ...row, stale: false }));
  const table = rows.length === 0 ? [] : [formatTable(statusColumns(screen, past), past, screen), ""];
  const totals = summary && { ...summary, lastKnown: undefined };
  return [...table, summaryOf(totals), `state at ${formatLocalTime(at, now)}`].join("\n");
}

type StatusRequest = MessageInitShape<typeof ListStatusRequestSchema>;

/** Output of `-as-plugin`. The summary of unhandled problems does not count the other objects, so it takes two queries. */
async function pluginOutput(request: StatusRequest, { server }: CliContext): Promise<Result<CliOutput, CliFailure>> {
  const selection = await server.query("listStatus", { ...request, summaryOnly: true });
  if (!selection.ok) return selection;
  const unhandled = await server.query("listStatus", { ...request, unhandledOnly: true });
  if (!unhandled.ok) return unhandled;
  const { code, text } = judgeSelection(selection.value.summary, unhandled.value.rows);
  return ok({ json: { code, text }, text: () => text, ids: [], pluginCode: code });
}

/** Rows that a request selects, with what is failing at the moment. */
async function statusOutput(request: StatusRequest, { server }: CliContext): Promise<Result<CliOutput, CliFailure>> {
  const answer = await server.query("listStatus", request);
  if (!answer.ok) return answer;
  const { at, realm = "" } = request;
  const listed = at === undefined ? await server.query("listContacts", {}) : undefined;
  // An older server, or one that refuses the list, still has a status to show.
  const all = listed?.ok === true ? listed.value.contacts : [];
  const contacts = all.filter((contact) => realm === "" || contact.realm === "" || contact.realm === realm);
  const info = at === undefined ? await server.info() : undefined;
  const unmapped = info?.ok === true ? info.value.unmappedAlerts : [];
  const alerts = unmapped.filter((alert) => realm === "" || alert.realm === "" || alert.realm === realm);
  return ok({
    json: toJson(ListStatusResponseSchema, answer.value),
    list: "rows",
    text: (screen) =>
      at === undefined
        ? formatStatus(answer.value, { contacts, alerts }, screen)
        : formatPastStatus(answer.value, at as Timestamp, screen),
    ids: answer.value.rows.map(({ object }) => refText(object)),
  });
}

export const statusCliCommand = cliCommand({
  path: "status",
  args: ["[SELECTOR]"],
  summary: "Show the current state of objects, most severe first.",
  flags: {
    "as-plugin": { help: "Exit and print as a monitoring plugin, judged by the worst unhandled problem." },
    problems: { help: "Only objects with a problem." },
    unhandled: { help: "Only problems that are not acknowledged, in downtime or suppressed." },
    realm: { help: "Only this realm.", placeholder: "NAME" },
    selector: { help: "Only objects that match, like SELECTOR.", placeholder: "SELECTOR" },
    watch: { help: "Show the state again and again until Ctrl-C." },
    interval: { help: "Time between two readings of -watch; 5s by default.", placeholder: "DURATION" },
    at: { help: "State at this time: 2h (ago), 22:00, 2026-03-29 22:00 or RFC 3339.", placeholder: "TIME" },
    search: { help: "Only objects with this text in their name, in upper or lower case.", placeholder: "TEXT" },
    sort: {
      help: "severity, name, lastChange or lastCheck; a - in front reverses.",
      placeholder: "ORDER",
    },
  },
  async run({ args: [argument], flags, context }) {
    const times = readTimeFlags(["at"], flags, context);
    if (!times.ok) return wrongUsage(times.error);
    if (argument !== undefined && flags.selector !== undefined)
      return wrongUsage("SELECTOR and -selector are the same; give one of them");
    const request: StatusRequest = {
      selector: argument ?? flags.selector ?? "",
      realm: flags.realm ?? context.server.realm,
      search: flags.search ?? "",
      sort: flags.sort ?? "",
      ...times.value,
    };
    if (flags["as-plugin"]) return pluginOutput(request, context);
    const { problems: problemsOnly, unhandled: unhandledOnly } = flags;
    const read = () => statusOutput({ ...request, problemsOnly, unhandledOnly }, context);
    if (!flags.watch) return read();
    if (times.value.at !== undefined) return wrongUsage("-watch shows the present state, and -at an earlier one");
    const interval = readInterval(flags.interval ?? "5s");
    return interval.ok
      ? watchOutput(read, { everyMs: interval.value, context })
      : wrongUsage(`-interval: ${interval.error}`);
  },
});
