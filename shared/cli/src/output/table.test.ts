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

test("columns line up, nothing is cut and no blank trails where there is no terminal", () => {
  assert.equal(
    formatTable(columns, rows, screen),
    [
      "STATUS    OBJECT     OUTPUT",
      "CRITICAL  web1!http  connection refused by the target, and more words",
      "OK        db",
    ].join("\n"),
  );
});

test("a narrow terminal cuts the widest column first", () => {
  const lines = formatTable(columns, rows, { ...screen, columns: 40 }).split("\n");
  assert.equal(lines[1], "CRITICAL  web1!http  connection refused…");
  for (const width of [30, 40, 60, 80])
    for (const line of formatTable(columns, rows, { ...screen, columns: width }).split("\n"))
      assert.ok(displayWidth(line) <= width, `${width}: ${line}`);
});

test("a terminal too narrow for the columns is left to wrap", () => {
  assert.match(formatTable(columns, rows, { ...screen, columns: 5 }), /^CRITICAL {2}web1!ht… {2}connect…$/m);
});

test("colours change no width, and what a check printed brings none in", () => {
  const loud = [{ ...rows[0]!, output: "\u001b[5mblink\u001b[0m" }];
  const painted = formatTable(columns, loud, { ...screen, colours: true });
  assert.equal(stripVTControlCharacters(painted), formatTable(columns, loud, screen));
  assert.ok(painted.includes("\u001b[31mCRITICAL"));
  assert.ok(!painted.includes("\u001b[5m"));
});
