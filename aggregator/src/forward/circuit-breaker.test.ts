import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { circuitBreaker } from "./circuit-breaker.ts";

test("three consecutive failures stop calls for five seconds, then one trial call is allowed", () => {
  const clock = manualClock();
  const breaker = circuitBreaker(clock);
  for (let i = 0; i < 2; i++) breaker.fail();
  breaker.succeed();
  for (let i = 0; i < 2; i++) breaker.fail();
  assert.equal(breaker.allows(), true, "a success resets the count");
  breaker.fail();
  assert.equal(breaker.allows(), false);
  clock.advance(4_999);
  assert.equal(breaker.allows(), false);
  clock.advance(1);
  assert.deepEqual([breaker.allows(), breaker.allows()], [true, false]);
  breaker.succeed();
  assert.deepEqual([breaker.allows(), breaker.allows()], [true, true]);
});
