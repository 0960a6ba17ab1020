import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { displayWidth } from "./printable-text.ts";
import { formatTable, type Screen, type TextColumn } from "./table.ts";

type Row = { status: string; object: string; output: string };
const columns: TextColumn<Row>[] = [
  { title: "STATUS", cell: ({ status }) => ({ text: status, colour: "red" }) },
  { title: "OBJECT", cell: ({ object }) => object, flexible: true },
  { title: "OUTPUT", cell: ({ output }) => output, flexible: true },
];
const rows: Row[] = [
  { status: "CRITICAL", object: "web1!http", output: "connection refused by the target, and more words" },
  { status: "OK", object: "db", output: "" },
];
const screen: Screen = { columns: undefined, colours: false, nowMs: 0, zone: "UTC" };

test("without a terminal columns are aligned and nothing is cut; lines have no trailing blanks", () => {
  assert.equal(
    formatTable(columns, rows, screen),
    [
      "STATUS    OBJECT     OUTPUT",
      "CRITICAL  web1!http  connection refused by the target, and more words",
      "OK        db",
    ].join("\n"),
  );
});

test("on a narrow terminal the widest column is cut first", () => {
  const lines = formatTable(columns, rows, { ...screen, columns: 40 }).split("\n");
  assert.equal(lines[1], "CRITICAL  web1!http  connection refused…");
  for (const width of [30, 40, 60, 80])
    for (const line of formatTable(columns, rows, { ...screen, columns: width }).split("\n"))
      assert.ok(displayWidth(line) <= width, `${width}: ${line}`);
});

test("columns are not cut below the minimum width, however narrow the terminal", () => {
  assert.match(formatTable(columns, rows, { ...screen, columns: 5 }), /^CRITICAL {2}web1!ht… {2}connect…$/m);
});

test("colours do not change widths, and check output cannot add colours", () => {
  const withEscapes = [{ ...rows[0]!, output: "\u001b[5mblink\u001b[0m" }];
  const painted = formatTable(columns, withEscapes, { ...screen, colours: true });
  assert.equal(stripVTControlCharacters(painted), formatTable(columns, withEscapes, screen));
  assert.ok(painted.includes("\u001b[31mCRITICAL"));
  assert.ok(!painted.includes("\u001b[5m"));
});
