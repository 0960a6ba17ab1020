import assert from "node:assert/strict";
import { test } from "node:test";
import { cutText, plainText, widthOf } from "./plain-text.ts";

test("what would steer a terminal is gone", () => {
  assert.equal(plainText("\u001b[31mred\u001b[0m\r\nnext\ttab"), "[31mred [0m next tab");
  assert.equal(plainText("a\u202eb\u200bc\u2028d\u0085"), "a b c d");
  assert.equal(plainText("disk /var 93 % – größer"), "disk /var 93 % – größer");
});

test("widths are those of a terminal", () => {
  assert.deepEqual(["abc", "größer", "磁盘", "🔥", "e\u0301", ""].map(widthOf), [3, 6, 4, 2, 1, 0]);
});

test("a text is cut between characters", () => {
  assert.equal(cutText("connection refused", 10), "connectio…");
  assert.equal(cutText("short", 5), "short");
  assert.equal(cutText("磁盘满了", 4), "磁…");
  assert.equal(cutText("ab", 1), "…");
});
