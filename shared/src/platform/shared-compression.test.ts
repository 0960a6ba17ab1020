import assert from "node:assert/strict";
import { test } from "node:test";
import { sharedCompression } from "./shared-compression.ts";

test("equal bodies of at least 1 KiB are compressed once, while few others came between them", async () => {
  let calls = 0;
  const compress = sharedCompression(async (bytes) => {
    calls += 1;
    return new Uint8Array(bytes.slice(0, 1));
  });
  const body = (value: number, length = 2_000): Uint8Array => new Uint8Array(length).fill(value);
  const callsOf = async (...bodies: readonly Uint8Array[]): Promise<number> => {
    const before = calls;
    for (const one of bodies) assert.deepEqual(await compress(one), one.slice(0, 1));
    return calls - before;
  };
  assert.equal(await callsOf(body(1), body(1), body(2), body(1), body(1, 2_001)), 3);
  assert.equal(await callsOf(body(3, 1_000), body(3, 1_000)), 2);
  await callsOf(...Array.from({ length: 8 }, (_, at) => body(10 + at)));
  assert.equal(await callsOf(body(1)), 1);
});
