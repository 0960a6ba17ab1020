import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { GrowingBuffer } from "./growing-buffer.ts";

const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 30_000 }), { maxLength: 20 });

test("[PT8] the bytes are those of the chunks, and the capacity exceeds them by less than 64 KiB", () => {
  fc.assert(
    fc.property(chunks, fc.nat(70_000), (parts, spare) => {
      const all = Buffer.concat(parts);
      const buffer = new GrowingBuffer(all.length + spare);
      for (const part of parts) {
        const capacity = buffer.capacityWith(part.length);
        buffer.append(part);
        assert.equal(buffer.capacity, capacity);
        assert.ok(capacity - buffer.length < 65_536 && capacity <= all.length + spare);
      }
      assert.deepEqual([buffer.length, Buffer.compare(buffer.bytes(), all)], [all.length, 0]);
      buffer.free();
      assert.deepEqual([buffer.length, buffer.capacity, buffer.bytes().length], [0, 0, 0]);
      assert.equal(Buffer.concat(parts).length, all.length);
    }),
  );
});
