import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { HistoryRecordSchema, HistoryType } from "@realmwatch/proto/svc/v1/query_pb";
import { exportHistory } from "./export-history.ts";

const record = create(HistoryRecordSchema, {
  id: "7",
  at: timestampFromMs(Date.parse("2026-03-01T12:00:00Z")),
  type: HistoryType.COMMENT_ADDED,
  author: "ann",
  comment: '=HYPERLINK("http://evil")',
});
const pages = [
  { records: [record, record], unanswered: [], nextPageToken: "older" },
  { records: [record], unanswered: [{ realm: "fra" }], nextPageToken: "" },
] as never[];

for (const format of ["csv", "ndjson"] as const)
  test(`[DB13] all pages of history are exported as ${format}, and missing realms are named`, async () => {
    const progress: number[] = [];
    const tokens: string[] = [];
    const exported = await exportHistory(
      format,
      async (pageToken) => pages[tokens.push(pageToken) - 1] ?? assert.fail(),
      (count) => progress.push(count),
    );
    assert.deepEqual(
      [tokens, progress],
      [
        ["", "older"],
        [2, 3],
      ],
    );
    assert.deepEqual([exported.count, exported.missing], [3, ["fra"]]);
    const text = exported.parts.join("");
    if (format === "csv") {
      const lines = text.trimEnd().split("\r\n");
      assert.equal(lines.length, 4);
      assert.match(lines[0] ?? "", /^id,at,realm,/);
      assert.match(
        lines[1] ?? "",
        /^7,2026-03-01T12:00:00.*,comment_added,.*,ann,.*"'=HYPERLINK\(""http:\/\/evil""\)"$/,
      );
    } else {
      const lines = text.trimEnd().split("\n");
      assert.deepEqual(
        lines.map((line) => JSON.parse(line).author),
        ["ann", "ann", "ann"],
      );
    }
  });
