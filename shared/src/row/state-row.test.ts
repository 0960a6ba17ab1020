import assert from "node:assert/strict";
import { test } from "node:test";
import { fromBinary, fromJson, toBinary, toJson } from "@bufbuild/protobuf";
import { ObjectRowSchema, StatusRowSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { StateRowSchema } from "@realmwatch/proto/svc/v1/state_pb";
import fc from "fast-check";
import { perfPoint } from "../model/perfdata.ts";
import { truncateUtf8, utf8Length } from "../text/utf8.ts";
import { blankRow, type Row } from "./row.ts";
import { objectKeyArbitrary, rowArbitrary } from "./row-arbitrary.fixture.ts";
import { objectRowToProto, statusRowToProto } from "./row-codec.ts";
import { rowFields } from "./row-fields.ts";
import { encodeRowChange, rowChangeFromProto, rowChangeToProto, stateRowToProto } from "./state-row.ts";

const published = { realm: "eu", atMs: 1_700_000_000_000 };

test("[WI3] a row survives the conversion to a message and back, in binary and in JSON", () => {
  fc.assert(
    fc.property(rowArbitrary, (row) => {
      const message = stateRowToProto(row, { ...published, realm: row.realm });
      assert.equal(message.truncated, false);
      const bytes = fromBinary(StateRowSchema, toBinary(StateRowSchema, message));
      const json = fromJson(StateRowSchema, toJson(StateRowSchema, message));
      for (const back of [message, bytes, json]) {
        const change = rowChangeFromProto(back);
        assert.ok(change.ok, JSON.stringify(change));
        assert.deepEqual(change.value, { kind: "put", row });
      }
    }),
  );
});

test("[WI3] a removal survives the conversion to a message and back", () => {
  fc.assert(
    fc.property(objectKeyArbitrary, (key) => {
      const drop = { kind: "drop", realm: "eu", key, epoch: 7, revision: 9 } as const;
      const bytes = toBinary(StateRowSchema, rowChangeToProto(drop, published));
      assert.deepEqual(rowChangeFromProto(fromBinary(StateRowSchema, bytes)), { ok: true, value: drop });
    }),
  );
});

test("[WI4] a status row has the fields of an object row, and every flag is set even when false", () => {
  fc.assert(
    fc.property(rowArbitrary, (row) => {
      const status = toJson(StatusRowSchema, statusRowToProto(row)) as Record<string, unknown>;
      const object = toJson(ObjectRowSchema, objectRowToProto(row)) as Record<string, unknown>;
      for (const own of ["labels", "parents", "dependsOn", "checkType", "rule"]) delete object[own];
      assert.deepEqual(status, object);
      assert.ok(`${status.revision}.`.startsWith(`${row.epoch}.${row.revision}.`));
      for (const flag of ["flapping", "inDowntime", "handled"]) assert.equal(typeof status[flag], "boolean");
      for (const flag of Object.keys(status).filter((name) => name.endsWith("Enabled")))
        assert.equal(typeof status[flag], "boolean");
      assert.equal(Object.keys(status).filter((name) => name.endsWith("Enabled")).length, 5);
    }),
  );
});

test("[CS2] the revision changes with the impact and with the cause", () => {
  const impact = (count: number) => ({ counts: [{ kind: "host", status: "unreachable", count } as const] });
  const changes: readonly Partial<Row>[] = [
    {},
    { impact: impact(1) },
    { impact: impact(2) },
    { cause: { kind: "host", name: "sw1" } },
    { cause: { kind: "host", name: "sw2" } },
  ];
  const revisions = changes.map((change) => statusRowToProto({ ...blankRow, ...change }).revision);
  assert.equal(new Set(revisions).size, changes.length, revisions.join(" "));
});

/** Fields of a row's message that come with it: those of its origin, and those that the server computes. */
const fieldsBesideTable = ["kind", "realm", "revision", "stale", "overdue"];

test("[WI4] every field of the messages of rows is in the table of a row's fields", () => {
  const listed = new Set([...fieldsBesideTable, ...fieldNames(rowFields)]);
  for (const { members } of [ObjectRowSchema, StatusRowSchema])
    for (const { localName } of members) assert.ok(listed.has(localName), localName);
});

/** Names that the fields of a table have in messages. */
function fieldNames(table: object): readonly string[] {
  return Object.values(table).flatMap((entry) => (Array.isArray(entry) ? [entry[0]] : fieldNames(entry)));
}

test("[WI5] a message without a valid row is refused with the name of the field", () => {
  const [row] = fc.sample(rowArbitrary, 1);
  assert.ok(row);
  const whole = stateRowToProto(row, published);
  const proto = whole.row;
  assert.ok(proto);
  const broken = {
    row: { ...whole, row: undefined },
    epoch: { ...whole, epoch: 2n ** 60n },
    revision: { ...whole, revision: 2n ** 64n - 1n },
    object: { ...whole, row: { ...proto, object: undefined } },
    status: { ...whole, row: { ...proto, status: 99 as 0 } },
    stateType: { ...whole, row: { ...proto, stateType: 0 as const } },
    lastCheck: {
      ...whole,
      row: {
        ...proto,
        lastCheck: { $typeName: "google.protobuf.Timestamp", seconds: 2n ** 62n, nanos: 0 } as const,
      },
    },
  };
  for (const [field, message] of Object.entries(broken)) {
    const result = rowChangeFromProto(message);
    assert.ok(!result.ok && result.error.kind === "malformed", field);
    assert.equal(result.error.field, field);
  }
});

const long = "ä".repeat(400_000);
const comment = { id: "c", author: "ann", onBehalfOf: "", text: long, atMs: 0 };
const tooLarge: Record<string, (row: Row) => Row> = {
  "a long output": (row) => ({ ...row, longOutput: long }),
  "a long output and comments": (row) => ({ ...row, longOutput: long, comments: [comment, comment] }),
  "a long acknowledgement": (row) => ({
    ...row,
    acknowledgement: { author: "", onBehalfOf: "", comment: long, sticky: false, atMs: 0, expiresAtMs: undefined },
  }),
  "a long first line": (row) => ({ ...row, output: long }),
  "very many comments": (row) => ({
    ...row,
    comments: Array.from({ length: 30_000 }, () => ({ ...comment, id: "0123456789abcdef", text: "x" })),
  }),
};
const [smallRow] = fc.sample(rowArbitrary, { numRuns: 1, seed: 1 });
assert.ok(smallRow);
const maxStateRowBytes = 512 * 1024;
/** The message of a row as `encodeRowChange` cuts it, and its size. */
function cutRow(row: Row, maxBytes: number) {
  const data = encodeRowChange({ kind: "put", row }, published, maxBytes);
  return { size: data.length, message: fromBinary(StateRowSchema, data) };
}
for (const [what, grow] of Object.entries(tooLarge)) {
  for (const maxBytes of [maxStateRowBytes, 64 * 1024, 16 * 1024]) {
    test(`[WI6] a row with ${what} is cut to ${maxBytes / 1024} KiB`, () => {
      const { size, message } = cutRow(grow({ ...smallRow, truncated: false }), maxBytes);
      assert.deepEqual([message.truncated, message.row?.truncated], [true, true]);
      assert.ok(size <= maxBytes, `${size} bytes`);
      const back = rowChangeFromProto(message);
      assert.ok(back.ok && back.value.kind === "put");
      assert.deepEqual(back.value.row.about.key, smallRow.about.key);
      assert.deepEqual([back.value.row.status, back.value.row.truncated], [smallRow.status, true]);
    });
  }
}

test("[WI6] long output is cut first and only as much as required, then performance data, comments and output", () => {
  const perfdata = Array.from({ length: 1_000 }, (_, n) => perfPoint(`label ${n}`, n));
  const large = { ...smallRow, longOutput: long, perfdata, comments: [{ ...comment, text: "c".repeat(5_000) }] };
  const row = { ...large, output: "o".repeat(9_000) };
  const shown = (maxBytes: number) => {
    const { message, size } = cutRow(row, maxBytes);
    const cut = message.row;
    const lengths = [cut?.longOutput, cut?.perfdata, cut?.comments[0]?.text, cut?.output].map((text) => text?.length);
    assert.ok(size <= maxBytes && size > 0.9 * maxBytes, `${size} of ${maxBytes} bytes`);
    return lengths;
  };
  const [whole, ...rest] = shown(100_000);
  assert.ok(whole !== undefined && whole > 0);
  assert.deepEqual(rest, [1_000, 5_000, 9_000]);
  const [none, points, ...texts] = shown(30_000);
  assert.deepEqual([none, texts], [0, [5_000, 9_000]]);
  assert.ok(points !== undefined && points > 100 && points < 1_000, `${points} points`);
  const [, , , output] = shown(5_000);
  assert.ok(output !== undefined && output > 1_000 && output < 5_000, `output of ${output}`);
});

test("[WI6] a row that fits is not cut, and one with labels above the limit stays larger", () => {
  const whole = cutRow({ ...smallRow, truncated: false }, maxStateRowBytes);
  assert.deepEqual([whole.message.truncated, whole.message.row?.truncated], [false, false]);
  const labels = { text: "x".repeat(9_000) };
  assert.ok(cutRow({ ...smallRow, about: { ...smallRow.about, labels } }, 8_000).size > 8_000);
});

test("[WI6] a cut never splits a character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.nat({ max: 20 }), (text, bytes) => {
      const cut = truncateUtf8(text, bytes);
      assert.ok(utf8Length(cut) <= bytes && text.startsWith(cut) && cut.isWellFormed());
    }),
  );
});
