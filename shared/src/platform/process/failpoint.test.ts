import assert from "node:assert/strict";
import { test } from "node:test";
import { type Failpoint, openFailpoint } from "./failpoint.ts";

function endsAfter(env: Readonly<Record<string, string>>, passed: readonly Failpoint[]): number | undefined {
  let endedAfter: number | undefined;
  const failpoint = openFailpoint(env, () => {
    endedAfter ??= passes;
  });
  let passes = 0;
  for (const point of passed) {
    passes += 1;
    failpoint(point);
  }
  return endedAfter;
}

const passed: readonly Failpoint[] = ["before-intent", "after-intent", "before-sent", "after-intent"];

test("a failpoint ends the program at the requested pass, and only in a test", () => {
  assert.equal(endsAfter({ NODE_ENV: "test", FAULT: "after-intent:1" }, passed), 2);
  assert.equal(endsAfter({ NODE_ENV: "test", FAULT: "after-intent:2" }, passed), 4);
  assert.equal(endsAfter({ NODE_ENV: "test", FAULT: "after-intent:3" }, passed), undefined);
  assert.equal(endsAfter({ NODE_ENV: "production", FAULT: "after-intent:1" }, passed), undefined);
  assert.equal(endsAfter({ FAULT: "after-intent:1" }, passed), undefined);
  for (const FAULT of ["", "after-intent", "after-intent:", "elsewhere:1", "after-intent:-1"])
    assert.equal(endsAfter({ NODE_ENV: "test", FAULT }, passed), undefined);
});
