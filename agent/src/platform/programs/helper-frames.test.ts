import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  decodeEnding,
  decodeOrder,
  endingKinds,
  FrameReader,
  FrameWriter,
  type ProgramEnding,
} from "./helper-frames.ts";

const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
const fields = {
  kind: fc.constantFrom(...endingKinds),
  id: fc.nat(),
  code: fc.integer(),
  elapsedMs: fc.double({ noNaN: true }),
  stdout: bytes,
  stderr: bytes,
  truncated: fc.boolean(),
};
const ending: fc.Arbitrary<ProgramEnding> = fc.record(fields, { noNullPrototype: true });

/** Frames decoded from bytes that arrive in pieces of these lengths, the last one repeated. */
function through<T>(sent: Buffer, pieces: readonly number[], read: (frame: Buffer) => T): T[] {
  const reader = new FrameReader();
  const found: T[] = [];
  for (let at = 0, turn = 0; at < sent.length; turn += 1) {
    const length = pieces[Math.min(turn, pieces.length - 1)] ?? 1;
    reader.push(sent.subarray(at, at + length), (frame) => found.push(read(Buffer.from(frame))));
    at += length;
  }
  return found;
}
const pieces = fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1 });

test("endings survive encoding and decoding in any fragmentation", () => {
  fc.assert(
    fc.property(fc.array(ending), pieces, (endings, cuts) => {
      const writer = new FrameWriter();
      for (const one of endings) writer.ending(one);
      assert.deepEqual(through(writer.take(), cuts, decodeEnding), endings);
    }),
  );
});

test("orders survive encoding and decoding in any fragmentation", () => {
  const start = fc.record({ id: fc.nat(), strings: fc.string({ unit: "grapheme" }) });
  fc.assert(
    fc.property(fc.array(start), pieces, (starts, cuts) => {
      const writer = new FrameWriter();
      for (const { id, strings } of starts) {
        writer.start({ id, timeoutMs: 10, argc: 2, envc: 3 }, strings);
        writer.abort(id);
      }
      const expected = starts.flatMap(({ id, strings }) => [
        { kind: "start", id, timeoutMs: 10, argc: 2, envc: 3, strings: Buffer.from(strings) },
        { kind: "abort", id },
      ]);
      assert.deepEqual(through(writer.take(), cuts, decodeOrder), expected);
    }),
  );
});

test("frames larger than the initial buffer pass, and sent bytes are removed", () => {
  const strings = "x".repeat(3_000_000);
  const writer = new FrameWriter();
  writer.start({ id: 1, timeoutMs: 2 ** 40, argc: 1, envc: 0 }, strings);
  writer.abort(2);
  const whole = Buffer.from(writer.peek());
  writer.sent(1_000);
  assert.deepEqual(Buffer.from(writer.peek()), whole.subarray(1_000));
  const [first, second] = through(whole, [65_536], decodeOrder);
  assert.ok(first?.kind === "start" && first.strings.length === 3_000_000 && first.timeoutMs === 2 ** 32 - 1);
  assert.deepEqual(second, { kind: "abort", id: 2 });
});
