import { toJsonString } from "@bufbuild/protobuf";
import { type HistoryRecord, HistoryRecordSchema, type UnansweredRealm } from "@realmwatch/proto/svc/v1/query_pb";
import { formatCsvLines } from "@realmwatch/shared/view/csv";
import {
  historyTypeCodec,
  notificationKindCodec,
  stateTypeCodec,
  statusCodec,
} from "@realmwatch/shared/wire/fields/enums";
import { keyOfWireRef } from "../../api/status/object-key.ts";
import { optionalMs } from "../../api/status/status-item.ts";
import { isoInstant } from "../../components/time/format-date-time.ts";

export const exportFormats = {
  csv: { label: "CSV", type: "text/csv;charset=utf-8" },
  ndjson: { label: "NDJSON", type: "application/x-ndjson" },
} as const;
export type ExportFormat = keyof typeof exportFormats;

const columns = [
  ...["id", "at", "realm", "kind", "host", "name", "type", "status", "previous_status", "state_type", "attempt"],
  ...["author", "on_behalf_of", "notification_kind", "contact", "level", "because", "output", "comment"],
];

function csvCells(record: HistoryRecord) {
  const key = keyOfWireRef(record.object);
  const atMs = optionalMs(record.at);
  const kind = notificationKindCodec.fromProto(record.notificationKind);
  return [
    ...[record.id, atMs === undefined ? "" : isoInstant(atMs), record.realm],
    ...[key?.kind, key?.kind === "service" ? key.host : undefined, key?.name],
    ...[historyTypeCodec.fromProto(record.type), statusCodec.fromProto(record.status)],
    ...[statusCodec.fromProto(record.previousStatus), stateTypeCodec.fromProto(record.stateType)],
    ...[record.attempt === 0 ? undefined : record.attempt, record.author, record.onBehalfOf],
    ...[kind, record.contact, kind === undefined ? undefined : record.level, record.because?.reason],
    ...[record.output, record.comment],
  ];
}

/** Beginning of an export. */
const exportHeading = (format: ExportFormat): string => (format === "csv" ? `${formatCsvLines([columns])}\r\n` : "");

/** Lines of an export for records, each with a line break. */
const exportLines = (format: ExportFormat, records: readonly HistoryRecord[]): string =>
  format === "csv"
    ? records.map((record) => `${formatCsvLines([csvCells(record)])}\r\n`).join("")
    : records.map((record) => `${toJsonString(HistoryRecordSchema, record)}\n`).join("");

type HistoryPage = {
  readonly records: readonly HistoryRecord[];
  readonly unanswered: readonly UnansweredRealm[];
  readonly nextPageToken: string;
};
type Exported = {
  /** Parts of the file. */
  readonly parts: readonly string[];
  readonly count: number;
  /** Names of realms of which records may be missing. */
  readonly missing: readonly string[];
};

/** Reads all pages of a query into the parts of a file. Rejects as `readPage` does. */
export async function exportHistory(
  format: ExportFormat,
  readPage: (pageToken: string) => Promise<HistoryPage>,
  onProgress: (count: number) => void,
): Promise<Exported> {
  const parts = [exportHeading(format)];
  const missing = new Set<string>();
  let count = 0;
  let pageToken = "";
  do {
    const page = await readPage(pageToken);
    parts.push(exportLines(format, page.records));
    for (const { realm } of page.unanswered) missing.add(realm);
    count += page.records.length;
    onProgress(count);
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  return { parts, count, missing: [...missing] };
}
