import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { ObjectRefSchema } from "@realmwatch/proto/svc/v1/common_pb";
import fc from "fast-check";
import { historyTypes } from "../../model/history.ts";
import { statuses } from "../../model/status.ts";
import { objectKeyArbitrary } from "../../row/row-arbitrary.fixture.ts";
import { historyTypeCodec, statusCodec } from "./enums.ts";
import { objectKeyFromProto, objectKeyToProto } from "./object-ref.ts";

test("[WI9] an object key survives the conversion to a reference and back", () => {
  fc.assert(
    fc.property(objectKeyArbitrary, (key) =>
      assert.deepEqual(objectKeyFromProto("object", objectKeyToProto(key)), { ok: true, value: key }),
    ),
  );
});

test("[WI9] an unset reference is undefined; one without a name is refused", () => {
  assert.deepEqual(objectKeyFromProto("object", undefined), { ok: true, value: undefined });
  const refused: [field: string, ref: Parameters<typeof create<typeof ObjectRefSchema>>[1]][] = [
    ["object", {}],
    ["object.host.name", { ref: { case: "host", value: {} } }],
    ["object.service.host", { ref: { case: "service", value: { name: "http" } } }],
    ["object.service.name", { ref: { case: "service", value: { host: "web1" } } }],
    ["object.process.name", { ref: { case: "process", value: {} } }],
  ];
  for (const [field, init] of refused) {
    const result = objectKeyFromProto("object", create(ObjectRefSchema, init));
    assert.ok(!result.ok && result.error.kind === "malformed" && result.error.field === field, field);
  }
});

test("[WI9] names and enum numbers match one to one", () => {
  for (const status of statuses) assert.equal(statusCodec.fromProto(statusCodec.toProto(status)), status);
  for (const type of historyTypes) assert.equal(historyTypeCodec.fromProto(historyTypeCodec.toProto(type)), type);
  assert.equal(new Set(historyTypes.map(historyTypeCodec.toProto)).size, historyTypes.length);
  assert.equal(statusCodec.toProto(undefined), 0);
  assert.equal(statusCodec.fromProto(0), undefined);
  assert.equal(statusCodec.fromProto(99), undefined);
});
