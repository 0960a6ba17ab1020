import { toJson } from "@bufbuild/protobuf";
import { StatusRowSchema } from "@realmwatch/proto/svc/v1/query_pb";
import type { Row } from "@realmwatch/shared/model/row";
import { showInstant } from "@realmwatch/shared/text/instant";
import { statusRowOf } from "@realmwatch/shared/wire/rows/row";

export type SnapshotHead = { readonly realm: string; readonly atMs: number; readonly configHash: string };

/** Of the format, not of the program. */
const formatVersion = 1;
/** Rows in a piece: some ms of work. */
const pieceRows = 100;

/** A snapshot of all objects as JSON text, in pieces so that whoever writes them can leave the thread to others. */
export function* snapshotText({ realm, atMs, configHash }: SnapshotHead, rows: Iterable<Row>): Generator<string> {
  const head = JSON.stringify({ version: formatVersion, realm, at: showInstant(atMs), configHash });
  let piece = `${head.slice(0, -1)},"objects":[`;
  let count = 0;
  for (const row of rows) {
    piece += `${count === 0 ? "" : ","}\n${rowText(row)}`;
    count += 1;
    if (count % pieceRows !== 0) continue;
    yield piece;
    piece = "";
  }
  yield `${piece}\n]}\n`;
}

/** A status row; its kind is the configuration's word. */
function rowText(row: Row): string {
  const json = toJson(StatusRowSchema, statusRowOf(row)) as object;
  return JSON.stringify({ ...json, kind: row.about.key.kind });
}
