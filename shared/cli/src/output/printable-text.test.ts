import assert from "node:assert/strict";
import { test } from "node:test";
import { cutToWidth, displayWidth, printableText } from "./printable-text.ts";

test("characters that control a terminal are removed", () => {
  assert.equal(printableText("\u001b[31mred\u001b[0m\r\nnext\ttab"), "[31mred [0m next tab");
  assert.equal(printableText("a\u202eb\u200bc\u2028d\u0085"), "a b c d");
  assert.equal(printableText("disk /var 93 % – größer"), "disk /var 93 % – größer");
});

test("widths are terminal columns", () => {
  assert.deepEqual(["abc", "größer", "磁盘", "🔥", "e\u0301", ""].map(displayWidth), [3, 6, 4, 2, 1, 0]);
});

test("a text is cut between graphemes", () => {
  assert.equal(cutToWidth("connection refused", 10), "connectio…");
  assert.equal(cutToWidth("short", 5), "short");
  assert.equal(cutToWidth("磁盘满了", 4), "磁…");
  assert.equal(cutToWidth("ab", 1), "…");
});
