import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { LineSplitter, maxLineBytes } from "./line-splitter.ts";

test("[XC8] lines do not depend on how their bytes are split into chunks", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1 })), fc.array(fc.nat(20)), (texts, cuts) => {
      const lines = texts.map((text) => text.replaceAll("\n", " ").toWellFormed()).filter((text) => text.trim() !== "");
      const bytes = Buffer.from(`${lines.map((line) => `${line}\n`).join("")}unfinished`);
      const splitter = new LineSplitter();
      const seen: string[] = [];
      let at = 0;
      for (const cut of [...cuts, bytes.length]) {
        seen.push(...splitter.take(bytes.subarray(at, at + cut)).map(({ text }) => text));
        at += cut;
      }
      assert.deepEqual(seen, lines);
    }),
  );
});

test("[XC8] a line that is too long is reported by its beginning, and the next one is complete", () => {
  const splitter = new LineSplitter();
  const lines = [
    Buffer.alloc(1_048_576, "x"),
    Buffer.from("more\nfits\n"),
    Buffer.alloc(maxLineBytes, "y"),
    Buffer.from("\n"),
  ];
  const seen = lines.flatMap((chunk) => splitter.take(chunk));
  assert.deepEqual(
    seen.map(({ text, tooLong }) => [text.length, tooLong]),
    [
      [256, true],
      [4, false],
      [maxLineBytes, false],
    ],
  );
});

test("[XC2] invalid UTF-8 is replaced", () => {
  const [line] = new LineSplitter().take(Buffer.from([0x5b, 0x31, 0xff, 0xfe, 10]));
  assert.equal(line?.text, "[1\uFFFD\uFFFD");
});
