import assert from "node:assert/strict";
import { test } from "node:test";
import { escapeToOneLine, escapeUnprintable } from "./unprintable.ts";

test("[TX1] characters that control a terminal or reorder text become escapes", () => {
  assert.equal(
    escapeUnprintable("a\u001b[2Jb\u009bc\u0000d\u007fe\u202ef\u2066g\u200bh\u2028i\ufeffj\rk\u{e0041}l"),
    "a\\u001b[2Jb\\u009bc\\u0000d\\u007fe\\u202ef\\u2066g\\u200bh\\u2028i\\ufeffj\\u000dk\\udb40\\udc41l",
  );
});

test("[TX1] tabs, ends of lines and other texts stay", () => {
  const text = "größer\t磁盘 🔥\nline\r\nend";
  assert.equal(escapeUnprintable(text), text);
  assert.equal(escapeToOneLine("a\tb\nc\r\n"), "a\\u0009b\\u000ac\\u000d\\u000a");
});

test("[TX1] escaped JSON has the same value", () => {
  const value = { output: "\u001b[31m\u009b\u202e\u{e0041}\u2028\u007f" };
  assert.deepEqual(JSON.parse(escapeUnprintable(JSON.stringify(value, undefined, 2))), value);
});
