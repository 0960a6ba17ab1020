import assert from "node:assert/strict";
import { test } from "node:test";
import { downtimeKind, downtimeWord } from "./downtime-words.ts";
import { holdersOf } from "./held-by.ts";

test("who keeps a problem quiet is told apart: the host, a parent, a dependency", () => {
  assert.deepEqual(holdersOf({ kind: "service", host: "web1", name: "http" }, ["web1", "web needs db"], []), [
    { kind: "host", name: "web1", role: "host" },
    { kind: "dependency", name: "web needs db" },
  ]);
  assert.deepEqual(holdersOf({ kind: "host", name: "web1" }, ["gw", "web1"], ["gw"]), [
    { kind: "host", name: "gw", role: "parent" },
    { kind: "dependency", name: "web1" },
  ]);
});

test("each kind of downtime says what it waits for", () => {
  const duration = { $typeName: "google.protobuf.Duration", seconds: 1_800n, nanos: 0 } as const;
  const flexible = { case: "flexible", value: { $typeName: "svc.v1.FlexibleDowntime", duration } } as const;
  const recurring = { case: "recurring", value: { $typeName: "svc.v1.RecurringDowntime", name: "patches" } } as const;
  assert.equal(downtimeWord({ kind: flexible, inEffect: false }), "Waits for a problem");
  assert.equal(downtimeWord({ kind: flexible, inEffect: true }), "In effect");
  assert.equal(downtimeKind({ kind: flexible }), "flexible: 30 m from the first problem");
  assert.equal(downtimeWord({ kind: recurring, inEffect: false }), "Comes again");
  assert.equal(downtimeKind({ kind: recurring }), "recurring: “patches”");
  assert.equal(downtimeWord({ kind: { case: undefined } }), "Scheduled");
});
