import assert from "node:assert/strict";
import { test } from "node:test";
import { formatDowntimeKind, formatDowntimeState } from "../../components/object/format-downtime.ts";
import { suppressorsOf } from "./suppressors.ts";

test("suppressors are classified as the host, a parent or a dependency", () => {
  assert.deepEqual(suppressorsOf({ kind: "service", host: "web1", name: "http" }, ["web1", "web needs db"], []), [
    { kind: "host", name: "web1", role: "host" },
    { kind: "dependency", name: "web needs db" },
  ]);
  assert.deepEqual(suppressorsOf({ kind: "host", name: "web1" }, ["gw", "web1"], ["gw"]), [
    { kind: "host", name: "gw", role: "parent" },
    { kind: "dependency", name: "web1" },
  ]);
});

test("each kind of downtime has a state text and a kind text", () => {
  const duration = { $typeName: "google.protobuf.Duration", seconds: 1_800n, nanos: 0 } as const;
  const flexible = { case: "flexible", value: { $typeName: "svc.v1.FlexibleDowntime", duration } } as const;
  const recurring = { case: "recurring", value: { $typeName: "svc.v1.RecurringDowntime", name: "patches" } } as const;
  assert.equal(formatDowntimeState({ kind: flexible, inEffect: false }), "Waiting for a problem");
  assert.equal(formatDowntimeState({ kind: flexible, inEffect: true }), "In effect");
  assert.equal(formatDowntimeKind({ kind: flexible }), "flexible: 30 m from the first problem");
  assert.equal(formatDowntimeState({ kind: recurring, inEffect: false }), "Recurring");
  assert.equal(formatDowntimeKind({ kind: recurring, inEffect: false }), "“patches”");
  assert.equal(formatDowntimeKind({ kind: recurring, inEffect: true }), "recurring: “patches”");
  assert.equal(formatDowntimeState({ kind: { case: undefined } }), "Scheduled");
});
