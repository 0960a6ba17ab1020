import { toJson } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { StateType } from "@realmwatch/proto/svc/v1/common_pb";
import {
  type ListStatusResponse,
  ListStatusResponseSchema,
  type StatusRow,
  type StatusSummary,
} from "@realmwatch/proto/svc/v1/query_pb";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { statusCodec } from "@realmwatch/shared/wire/fields/enums";
import { timestampToProto } from "@realmwatch/shared/wire/fields/time";
import { type CliContext, cliCommand } from "../cli-command.ts";
import { wrongUsage } from "../output/cli-failure.ts";
import { atMsOf, formatAge, formatLocalTime, refText, statusCell } from "../output/format-object.ts";
import { realmNotes } from "../output/format-realm.ts";
import { type Cell, formatTable, type Screen, type TextColumn } from "../output/table.ts";
import { readTime } from "../parse/read-time.ts";

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

/** Status of a row; that of a stale one is marked as last known, in gray. */
function rowStatusCell({ status, stale }: StatusRow): Cell {
  const cell = statusCell(status);
  return stale === true ? { text: `${cell.text} (last known)`.trim(), colour: "gray" } : cell;
}

function statusColumns(screen: Screen, rows: readonly { readonly realm: string }[]): TextColumn<StatusRow>[] {
  const realm: TextColumn<StatusRow> = { title: "REALM", cell: ({ realm }) => realm };
  return [
    ...(rows.some(({ realm }) => realm !== "") ? [realm] : []),
    { title: "STATUS", cell: rowStatusCell },
    { title: "OBJECT", cell: ({ object }) => refText(object), flexible: true },
    { title: "FOR", cell: ({ lastChange }) => formatAge(lastChange, screen) },
    { title: "ATTEMPT", cell: attemptOf },
    { title: "HANDLED", cell: marksOf, flexible: true },
    { title: "OUTPUT", cell: ({ output }) => output, flexible: true },
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

/** Summary of the counts: `26 objects: 1 critical, 25 ok, 12 of them last known; 1 unhandled`. */
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
  return `${total} ${total === 1 ? "object" : "objects"}: ${shown.join(", ")}; ${summary?.unhandled ?? 0} unhandled`;
}

function formatStatus({ rows, realms, summary }: ListStatusResponse, now: Screen): string {
  const notes = realmNotes(realms, now);
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

/** Reads `-at`; undefined for the present. */
function readAt(text: string | undefined, { clock, zone }: CliContext): Result<Timestamp | undefined, string> {
  if (text === undefined) return ok(undefined);
  const time = readTime(text, { fromMs: clock.now(), zone, direction: "past" });
  return time.ok ? ok(timestampToProto(time.value)) : fail(`-at: ${JSON.stringify(text)} ${time.error}`);
}

export const statusCliCommand = cliCommand({
  path: "status",
  args: ["[SELECTOR]"],
  summary: "Show the current state of objects, most severe first.",
  flags: {
    problems: { help: "Only objects with a problem." },
    unhandled: { help: "Only problems that are not acknowledged, in downtime or suppressed." },
    realm: { help: "Only this realm.", placeholder: "NAME" },
    at: { help: "State at this time: 2h (ago), 22:00, 2026-03-29 22:00 or RFC 3339.", placeholder: "TIME" },
    search: { help: "Only objects with this text in their name, in upper or lower case.", placeholder: "TEXT" },
    sort: {
      help: "severity, name, lastChange or lastCheck; a - in front reverses.",
      placeholder: "ORDER",
    },
  },
  async run({ args: [selector = ""], flags, context }) {
    const at = readAt(flags.at, context);
    if (!at.ok) return wrongUsage(at.error);
    const answer = await context.server.query("listStatus", {
      selector,
      realm: flags.realm ?? context.server.realm,
      problemsOnly: flags.problems,
      unhandledOnly: flags.unhandled,
      search: flags.search ?? "",
      sort: flags.sort ?? "",
      ...(at.value === undefined ? {} : { at: at.value }),
    });
    if (!answer.ok) return answer;
    return ok({
      json: toJson(ListStatusResponseSchema, answer.value),
      text: (screen) =>
        at.value === undefined ? formatStatus(answer.value, screen) : formatPastStatus(answer.value, at.value, screen),
      ids: answer.value.rows.map(({ object }) => refText(object)),
    });
  },
});
