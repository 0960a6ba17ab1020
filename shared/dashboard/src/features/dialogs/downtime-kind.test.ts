import assert from "node:assert/strict";
import { test } from "node:test";
import { downtimeKindError, wireDowntimeKind } from "./downtime-kind.ts";

const form = { kind: "fixed", lasts: "", triggeredBy: "" } as const;

test("a flexible downtime needs a duration, and a triggered one another downtime", () => {
  assert.equal(downtimeKindError(form), undefined);
  assert.match(downtimeKindError({ ...form, kind: "flexible", lasts: "soon" }) ?? "", /duration/);
  assert.equal(downtimeKindError({ ...form, kind: "flexible", lasts: "90m" }), undefined);
  assert.match(downtimeKindError({ ...form, kind: "triggered" }) ?? "", /another downtime/);
});

test("the duration of a flexible downtime is sent in seconds", () => {
  const wire = wireDowntimeKind({ ...form, kind: "flexible", lasts: "1h30m" });
  assert.equal(wire.case === "flexible" && wire.value.duration?.seconds, 5_400n);
});
