import assert from "node:assert/strict";
import { test } from "node:test";
import { create, type DescMessage, equals, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import {
  HeartbeatSchema,
  RealmCatalogSchema,
  RealmEventSchema,
  type StateRow,
  StateRowSchema,
} from "@realmwatch/proto/svc/v1/state_pb";
import fc from "fast-check";
import { rowArbitrary } from "../../row/row-arbitrary.fixture.ts";
import { stateRowToProto } from "../../row/state-row.ts";
import { messageReader } from "./message-reader.ts";

const readers = new Map(
  [StateRowSchema, HeartbeatSchema, RealmCatalogSchema, RealmEventSchema].map((schema) => [
    schema as DescMessage,
    messageReader<DescMessage>(schema),
  ]),
);
const readRow = messageReader(StateRowSchema);
const rowBytesArbitrary = rowArbitrary.map((row) =>
  toBinary(StateRowSchema, stateRowToProto(row, { realm: "eu", atMs: 1 })),
);

/** Asserts that both readers refuse the data, or that both read the same message. */
function assertSame(schema: DescMessage, data: Uint8Array): void {
  const read = readers.get(schema) ?? assert.fail(schema.typeName);
  let expected: Message;
  try {
    expected = fromBinary(schema, data, { readUnknownFields: false });
  } catch {
    assert.throws(() => read(data));
    return;
  }
  // Compared as bytes: a NaN, which damage can make, does not equal itself.
  assert.deepEqual(toBinary(schema, read(data)), toBinary(schema, expected));
}

test("[WI11] reads a row as the library does", () => {
  fc.assert(
    fc.property(rowBytesArbitrary, (data) =>
      assert.ok(equals(StateRowSchema, readRow(data), fromBinary(StateRowSchema, data))),
    ),
  );
});

test("[WI11] reads or refuses damaged messages as the library does", () => {
  const damage = fc.record({ at: fc.nat(4_000), byte: fc.nat(255), cut: fc.nat(8) });
  fc.assert(
    fc.property(rowBytesArbitrary, fc.array(damage, { maxLength: 3 }), (row, damages) => {
      let data = Uint8Array.from(row);
      for (const { at, byte, cut } of damages) {
        data[at % data.length] = byte;
        data = data.subarray(0, data.length - (cut === 0 ? at % data.length : 0));
      }
      assertSame(StateRowSchema, data);
    }),
    { numRuns: 2_000 },
  );
});

test("[WI11] reads or refuses any bytes as the library does", () => {
  const schemas = fc.constantFrom(...readers.keys());
  fc.assert(fc.property(schemas, fc.uint8Array({ maxLength: 60 }), assertSame), { numRuns: 2_000 });
});

test("[WI11] reads a number that damage has made NaN", () => {
  const message = create(StateRowSchema, { row: { perfdata: [{ label: "a", min: Number.NaN }] } });
  assertSame(StateRowSchema, toBinary(StateRowSchema, message));
});

test("[WI11] merges a message that is sent in parts, and its lists", () => {
  fc.assert(
    fc.property(rowBytesArbitrary, rowBytesArbitrary, (one, other) =>
      assertSame(StateRowSchema, Buffer.concat([one, other])),
    ),
  );
});

test("[WI11] skips fields of a newer release", () => {
  const known: StateRow = stateRowToProto(fc.sample(rowArbitrary, { numRuns: 1, seed: 1 })[0] as never, {
    realm: "eu",
    atMs: 1,
  });
  const newer = [{ no: 900, wireType: 2, data: Uint8Array.of(3, 1, 2, 3) }];
  const read = readRow(toBinary(StateRowSchema, { ...known, $unknown: newer }));
  assert.ok(equals(StateRowSchema, read, known));
  assert.equal(read.$unknown, undefined);
});

test("[WI11] a label named __proto__ is a label", () => {
  const [row] = fc.sample(rowArbitrary, { numRuns: 1, seed: 1 });
  const message = stateRowToProto(row as never, { realm: "eu", atMs: 1 });
  const labels = Object.fromEntries([["__proto__", "x"]]);
  const data = toBinary(StateRowSchema, { ...message, row: { ...message.row, labels } as never });
  assert.deepEqual(Object.entries(readRow(data).row?.labels ?? {}), [["__proto__", "x"]]);
});

test("[WI11] refuses a type that the library represents in another way", () => {
  assert.throws(() => messageReader(StructSchema), /google.protobuf.Struct has a form of its own/);
});
