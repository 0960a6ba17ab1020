import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeJsonText } from "./json-text.ts";

for (const text of [
  "",
  '"grüße 😀"',
  '"\\ud83d\\ude00"',
  '"\\\\ud800"',
  '"\\\\\\\\ud800"',
  '"\\uD83D\\uDE00\\u00e9"',
  '"ud800"',
])
  test(`[IN2] decodes ${text}`, () => assert.equal(decodeJsonText(Buffer.from(text)), text));

for (const text of ['"\\ud800"', '"\\uDC00\\uD800"', '"\\\\\\ud800"', '"\\ud83d\\u0041"', '"\\ud83d\\ud83d\\ude00"'])
  test(`[IN2] refuses the unpaired surrogate in ${text}`, () =>
    assert.throws(() => decodeJsonText(Buffer.from(text)), TypeError));

for (const hex of ["22c32822", "22c0af22", "22eda08022", "22f8888080800022", "ff"])
  test(`[IN2] refuses invalid UTF-8: ${hex}`, () =>
    assert.throws(() => decodeJsonText(Buffer.from(hex, "hex")), TypeError));
