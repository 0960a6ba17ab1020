import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ObjectKey } from "../../model/object-key.ts";
import * as subjects from "./nats-subjects.ts";

const name = fc.string({ minLength: 1, maxLength: 40, unit: "grapheme" });
const plain = { noNullPrototype: true };
const key: fc.Arbitrary<ObjectKey> = fc.oneof(
  fc.record({ kind: fc.constant("host" as const), name }, plain),
  fc.record({ kind: fc.constant("process" as const), name }, plain),
  fc.record({ kind: fc.constant("service" as const), host: name, name }, plain),
);

test("the subject of an object has plain tokens and is parsed back to its key", () => {
  fc.assert(
    fc.property(key, (k) => {
      const subject = subjects.stateSubject("fra-1", k);
      assert.match(subject, /^svc\.v1\.state\.fra-1\.[a-z]+(\.[A-Za-z0-9_-]+){1,2}$/);
      assert.deepEqual(subjects.parseSubject(subject), { kind: "row", realm: "fra-1", key: k });
    }),
  );
});

test("a service's subject encodes host and name separately", () => {
  const subject = subjects.stateSubject("fra", { kind: "service", host: "web.1", name: "http *" });
  assert.equal(subject, "svc.v1.state.fra.service.d2ViLjE.aHR0cCAq");
});

for (const [subject, kind] of [
  [subjects.epochSubject("fra"), "epoch"],
  [subjects.eventSubject("fra"), "event"],
  [subjects.heartbeatSubject("fra"), "heartbeat"],
  [subjects.forgottenSubject("fra"), "forgotten"],
] as const)
  test(`${subject} is parsed as ${kind}`, () =>
    assert.deepEqual(subjects.parseSubject(subject), { kind, realm: "fra" }));

test("the subject of a catalog's part is parsed", () => {
  const part = { kind: "contact", number: 12 } as const;
  const subject = subjects.catalogPartSubject("fra", part);
  assert.deepEqual(subjects.parseSubject(subject), { kind: "catalog", realm: "fra", part });
});

for (const subject of [
  "svc.v1.catalog.fra",
  "svc.v1.catalog.fra.contact",
  "svc.v1.catalog.fra.contact.01",
  "svc.v1.catalog.fra.contact.1.1",
  "svc.v1.catalog.fra.toaster.0",
  "svc.v1.state",
  "svc.v1.state.fra",
  "svc.v1.state.Fra.epoch",
  "svc.v1.state.fra.epoch.more",
  "svc.v1.state.fra.host",
  "svc.v1.state.fra.host.d2Vi.d2Vi",
  "svc.v1.state.fra.service.d2Vi",
  "svc.v1.state.fra.service.d2Vi.d2Vi.d2Vi",
  "svc.v1.state.fra.host.***",
  "svc.v1.state.fra.host._w",
  "svc.v1.state.fra.toaster.d2Vi",
  "svc.v1.event.fra.more",
  "svc.v1.state._forgotten",
  "svc.v1.state._forgotten.Fra",
  "svc.v1.state._forgotten.fra.more",
  "svc.v1.event._forgotten.fra",
  "svc.v1.rpc.fra",
  "svc.v2.event.fra",
  "",
])
  test(`${JSON.stringify(subject)} is not a subject of an agent`, () =>
    assert.equal(subjects.parseSubject(subject), undefined));
