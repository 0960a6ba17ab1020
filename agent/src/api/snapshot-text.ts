import { toJson } from "@bufbuild/protobuf";
import { StatusRowSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { isOverdue } from "@realmwatch/shared/read-model/rows/row-filter";
import type { Row } from "@realmwatch/shared/row/row";
import { statusRowToProto } from "@realmwatch/shared/row/row-codec";
import { formatInstant } from "@realmwatch/shared/text/instant";

type SnapshotHead = { readonly realm: string; readonly atMs: number; readonly configHash: string };

/** Version of the snapshot format. */
const formatVersion = 1;
/** Number of rows in a piece: a few ms of work. */
const pieceRows = 100;

/** JSON text of a snapshot of all objects, in pieces: the writer yields to the event loop between them. */
export function* snapshotPieces({ realm, atMs, configHash }: SnapshotHead, rows: Iterable<Row>): Generator<string> {
  const head = JSON.stringify({ version: formatVersion, realm, at: formatInstant(atMs), configHash });
  let piece = `${head.slice(0, -1)},"objects":[`;
  let count = 0;
  for (const row of rows) {
    piece += `${count === 0 ? "" : ","}\n${rowText(row, atMs)}`;
    count += 1;
    if (count % pieceRows !== 0) continue;
    yield piece;
    piece = "";
  }
  yield `${piece}\n]}\n`;
}

/** JSON of a status row, with the configuration's word as its kind. */
function rowText(row: Row, atMs: number): string {
  const json = toJson(StatusRowSchema, { ...statusRowToProto(row), overdue: isOverdue(row, atMs) }) as object;
  return JSON.stringify({ ...json, kind: row.about.key.kind });
}
