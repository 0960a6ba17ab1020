import { create, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { StateType } from "@realmwatch/proto/svc/v1/common_pb";
import {
  type HistoryRecord,
  HistoryType,
  type ListHistoryRequestSchema,
  type ListHistoryResponse,
  ListHistoryResponseSchema,
} from "@realmwatch/proto/svc/v1/query_pb";
import { type HistoryType as HistoryWord, historyTypes } from "@realmwatch/shared/model/history";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { nearestName } from "@realmwatch/shared/text/nearest-name";
import { pairEventText } from "@realmwatch/shared/view/pair-state";
import { personText } from "@realmwatch/shared/view/person";
import { historyTypeCodec, notificationKindCodec, statusCodec } from "@realmwatch/shared/wire/fields/enums";
import { objectKeyToProto } from "@realmwatch/shared/wire/fields/object-ref";
import { type CliContext, type CommandValues, cliCommand } from "../cli-command.ts";
import { readEntries } from "../connection/read-entries.ts";
import type { ServerClient } from "../connection/server-client.ts";
import { explainReason } from "../explain/explain-reason.ts";
import { type CliFailure, wrongUsage } from "../output/cli-failure.ts";
import { formatLocalTime, refText, statusCell } from "../output/format-object.ts";
import { unansweredLines } from "../output/format-realm.ts";
import { type Cell, formatTable, realmColumns, type Screen, type TextColumn } from "../output/table.ts";
import { readObject } from "../parse/read-target.ts";
import { readTimeFlags } from "../parse/read-time.ts";

/** Maximum number of records per page. */
const maxPage = 1_000;

function typeCell({ type, status }: HistoryRecord): Cell {
  const cell = statusCell(status);
  const word = historyTypeCodec.fromProto(type) ?? "?";
  return word === "state"
    ? cell
    : { text: word === "?" ? word : (typeTexts[word] ?? word.replaceAll("_", " ")), colour: cell.colour };
}

/** Labels of the types that say what became of a notification; other types have their own words. */
const typeTexts: Partial<Record<HistoryWord, string>> = {
  notification: "notification delivered",
  notification_failed: "notification given up",
};

/** Details of a record apart from its type. */
const detailsOf = (record: HistoryRecord, screen: Screen): string =>
  record.type === HistoryType.STATE ? stateDetails(record) : otherDetails(record, screen);

/** `was ok, attempt 1: connection refused`. */
function stateDetails({ previousStatus, stateType, attempt, comment, output }: HistoryRecord): string {
  const previous = statusCodec.fromProto(previousStatus);
  const parts = [
    previous === undefined ? "" : `was ${previous},`,
    stateType === StateType.SOFT && attempt > 0 ? `attempt ${attempt}:` : "",
    ...[comment, output],
  ];
  return parts
    .filter((part) => part !== "")
    .join(" ")
    .replace(/[:,]$/, "");
}

/** `ACKNOWLEDGEMENT to ops, by ann: on it`; `PROBLEM to ops: answered 404`; `by ann: new disks`. */
function otherDetails(record: HistoryRecord, screen: Screen): string {
  const { type, author, contact, because, comment, output } = record;
  const isDecided = because?.reason === "decided";
  const notification = [
    notificationKindCodec.fromProto(record.notificationKind) ?? "",
    // The output of a mute names the contact.
    contact === "" || type === HistoryType.TOGGLE ? "" : `to ${contact}`,
    // A notification that takes the place of another contact's names that contact.
    isDecided && because.name !== "" ? `as fallback of ${because.name}` : "",
    record.possibleDuplicate ? "(possible duplicate)" : "",
  ];
  const by = author === "" ? "" : `by ${personText(record)}`;
  const reason = because === undefined || isDecided ? "" : explainReason(because, screen);
  return joined(": ", [
    joined(", ", [joined(" ", notification), by]),
    joined("; ", [pairEventText(record), reason, comment, output]),
  ]);
}

/** Joins the texts that are not empty. */
const joined = (separator: string, texts: readonly string[]): string => texts.filter(Boolean).join(separator);

/** Columns of a table of history records. */
export function historyTableColumns(screen: Screen, records: readonly HistoryRecord[]): TextColumn<HistoryRecord>[] {
  return [
    { title: "ID", cell: ({ id }) => id, wideOnly: true },
    { title: "TIME", cell: ({ at }) => formatLocalTime(at, screen) },
    ...realmColumns(records, ({ realm }) => realm),
    { title: "OBJECT", cell: ({ object }) => refText(object), flexible: true },
    { title: "TYPE", cell: typeCell },
    { title: "DETAILS", cell: (record) => detailsOf(record, screen), flexible: true },
  ];
}

function readTypes(text: string | undefined): Result<HistoryType[], string> {
  const types: HistoryType[] = [];
  for (const word of text?.split(",") ?? []) {
    const wanted = word.trim().replaceAll("-", "_");
    const known = historyTypes.find((type): type is HistoryWord => type === wanted);
    if (known === undefined)
      return fail(`-type: ${JSON.stringify(word)} is not a record type; did you mean ${likelyTypes(wanted)}?`);
    types.push(historyTypeCodec.toProto(known));
  }
  return ok(types);
}

/** Types that contain an abbreviated word, else the most similar one. */
function likelyTypes(word: string): string {
  const containing = historyTypes.filter((type) => word !== "" && type.includes(word.toLowerCase()));
  return containing.length > 0 ? containing.join(" or ") : (nearestName(word, historyTypes) ?? "");
}

const flags = {
  selector: { help: "Only objects that the label selector matches.", placeholder: "EXPR" },
  realm: { help: "Only this realm.", placeholder: "NAME" },
  type: { help: `Only these record types, joined by commas: ${historyTypes.join(", ")}.`, placeholder: "LIST" },
  actor: { help: "Only records of this person or program, as author or on whose behalf.", placeholder: "NAME" },
  contact: { help: "Only records of this contact.", placeholder: "NAME" },
  search: { help: "Only records with this text in object, output or comment.", placeholder: "TEXT" },
  since: {
    help: "Start of the time range: 7d (ago), 22:00, 2026-03-29, 2026-03-29 22:00 or RFC 3339.",
    placeholder: "TIME",
  },
  until: { help: "End of the time range, exclusive.", placeholder: "TIME" },
  limit: { help: "Maximum number of records, 100 by default.", placeholder: "N" },
} as const;
type HistoryFlags = CommandValues<typeof flags> & { readonly object: string | undefined };
type Request = MessageInitShape<typeof ListHistoryRequestSchema>;

function readRequest(flags: HistoryFlags, context: CliContext): Result<Request, string> {
  const object = flags.object === undefined ? ok(undefined) : readObject(flags.object);
  if (!object.ok) return object;
  const types = readTypes(flags.type);
  if (!types.ok) return types;
  const times = readTimeFlags(["since", "until"], flags, context);
  if (!times.ok) return times;
  return ok({
    ...(object.value === undefined ? {} : { object: objectKeyToProto(object.value) }),
    selector: flags.selector ?? "",
    realm: flags.realm ?? context.server.realm,
    types: types.value,
    actor: flags.actor ?? "",
    contact: flags.contact ?? "",
    search: flags.search ?? "",
    ...times.value,
  });
}

type ListedHistory = Pick<ListHistoryResponse, "records" | "unanswered">;

/** Fetches records page by page, newest first, `limit` at most, and the realms that were missing in any page. */
export async function listRecords(
  server: ServerClient,
  request: Request,
  limit: number,
): Promise<Result<ListedHistory, CliFailure>> {
  const read = await readEntries(
    server.url,
    (pageToken, count) =>
      server.query("listHistory", { ...request, pageSize: Math.min(maxPage, limit - count), pageToken }),
    ({ records }) => records,
    limit,
  );
  return read.ok ? ok({ records: read.value.entries, unanswered: read.value.unanswered }) : read;
}

export const historyCliCommand = cliCommand({
  path: "history",
  args: ["[OBJECT]"],
  summary: "Show history, newest first.",
  flags,
  async run({ args: [object], flags: given, context }) {
    const limit = Number(given.limit ?? "100");
    if (!/^\d{1,7}$/.test(given.limit ?? "100") || limit === 0)
      return wrongUsage(`-limit: ${JSON.stringify(given.limit)} is not a whole number above 0`);
    const request = readRequest({ ...given, object }, context);
    if (!request.ok) return wrongUsage(request.error);
    const listed = await listRecords(context.server, request.value, limit);
    if (!listed.ok) return listed;
    const { records, unanswered } = listed.value;
    return ok({
      json: toJson(ListHistoryResponseSchema, create(ListHistoryResponseSchema, { records, unanswered })),
      list: "records",
      text: (screen) =>
        records.length === 0 ? "no records" : formatTable(historyTableColumns(screen, records), records, screen),
      ids: records.map(({ id }) => id),
      failures: unansweredLines(unanswered),
    });
  },
});
