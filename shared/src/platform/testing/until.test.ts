import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "./until.fixture.ts";

const brief = { withinMs: 60, everyMs: 5 };

test("until returns the first truthy value, also after errors", async () => {
  let attempts = 0;
  const value = await until("the third attempt", () => {
    attempts += 1;
    if (attempts === 1) throw new Error("not yet");
    return attempts < 3 ? undefined : { attempts };
  });
  assert.deepEqual(value, { attempts: 3 });
});

test("until fails after its bound with label, last value or error, and what was seen", async () => {
  await assert.rejects(
    until("it is even", () => 0, { ...brief, seen: () => ({ rows: 3 }) }),
    { message: "not within 60 ms: it is even; last value: 0; seen: { rows: 3 }" },
  );
  await assert.rejects(
    until("it answers", () => Promise.reject(new Error("refused")), brief),
    { message: "not within 60 ms: it answers; last error: refused" },
  );
});

test("until fails when an attempt hangs, and early when the condition can no longer be met", async () => {
  await assert.rejects(
    until("it answers", () => new Promise(() => {}), brief),
    { message: "not within 60 ms: it answers; the condition did not return" },
  );
  await assert.rejects(
    until("it runs", () => false, { stopWhen: () => true }),
    { message: "can no longer happen: it runs; last value: false" },
  );
});
