import assert from "node:assert/strict";
import { test } from "node:test";
import { toJsonString } from "@bufbuild/protobuf";
import { ObjectRefSchema } from "@realmwatch/proto/svc/v1/common_pb";
import { objectKeyToProto } from "@realmwatch/shared/wire/fields/object-ref";
import fc from "fast-check";
import { listCallsOf, partsOf } from "./bulk-parts.ts";

const service = (host: string, name: string) => objectKeyToProto({ kind: "service", host, name });
const services = (count: number, host = "web") =>
  Array.from({ length: count }, (_, at) => service(`${host}${at}`, "http"));

test("[DB67] a list is one call, and very many objects are as few as the size of a request allows", () => {
  const few = services(5_000);
  assert.deepEqual(listCallsOf([{ realm: "fra", objects: few }]), [
    { objects: [{ realm: "fra", objects: few }], part: 0 },
  ]);
  assert.deepEqual(listCallsOf([{ realm: "fra", objects: [] }]), []);
  const many = services(12_000);
  const calls = listCallsOf([
    { realm: "fra", objects: many },
    { realm: "ams", objects: few.slice(0, 10) },
  ]);
  assert.ok(calls.length <= 3);
  assert.equal(calls.flatMap(({ objects }) => objects.flatMap((one) => one.objects)).length, 12_010);
});

test("[DB67] each object is in one call; a call names a realm once and fits into a request; a repeat has the same parts", () => {
  const name = fc.string({ minLength: 1, maxLength: 256, unit: "grapheme" });
  const realm = fc.tuple(name, fc.integer({ min: 0, max: 3_000 }));
  fc.assert(
    fc.property(fc.array(realm, { maxLength: 5 }), (shapes) => {
      const realms = shapes.map(([host, count], at) => ({ realm: `r${at}`, objects: services(count, host) }));
      const calls = listCallsOf(realms);
      for (const { realm, objects } of realms) {
        const own = calls.flatMap((call) =>
          call.objects.flatMap((one) => (one.realm === realm ? [{ part: call.part, objects: one.objects }] : [])),
        );
        const parts = own.toSorted((a, b) => a.part - b.part).map((one) => one.objects);
        assert.deepEqual(parts, partsOf(objects));
        assert.deepEqual(parts.flat(), objects);
      }
      for (const { objects } of calls) {
        assert.equal(new Set(objects.map(({ realm }) => realm)).size, objects.length);
        const refs = objects.flatMap((one) => one.objects);
        const bytes = refs.reduce((sum, ref) => sum + Buffer.byteLength(toJsonString(ObjectRefSchema, ref)) + 1, 0);
        assert.ok(bytes <= 1_000_000, `${bytes}`);
      }
    }),
    { numRuns: 20 },
  );
});
