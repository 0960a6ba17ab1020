import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestScheduler, plan } from "./scheduler.fixture.ts";

test("[SC3] a check asked for runs now, keeps the cadence, and runs once more where one is running", () => {
  const { scheduler, clock, starts } = openTestScheduler();
  scheduler.add(plan("web1"), { nextCheckAtMs: clock.now() + 50_000 });
  scheduler.checkNow("web1");
  scheduler.checkNow("web1");
  scheduler.checkNow("web1");
  assert.equal(scheduler.ended("web1", 60_000, false), undefined);
  assert.equal(starts.length, 2);
  scheduler.ended("web1", 60_000, false);
  clock.advance(50_000);
  assert.deepEqual(
    starts.map(([, at]) => at),
    [0, 0, 50_000],
  );
});

test("[SC4] a look before its turn is skipped where a result is younger than 15 s", () => {
  const { scheduler, clock, starts } = openTestScheduler();
  scheduler.add(plan("web1"), { nextCheckAtMs: clock.now() + 50_000 });
  scheduler.checkSoon("web1", clock.now() - 14_999);
  assert.equal(starts.length, 0);
  scheduler.checkSoon("web1", clock.now() - 15_000);
  scheduler.checkSoon("web1", clock.now() - 15_000);
  assert.equal(starts.length, 1);
});

test("[SC4] a look for which no result would do comes at once, but never beside another one", () => {
  const { scheduler, starts } = openTestScheduler();
  scheduler.add(plan("web1"), { nextCheckAtMs: 1_000_000 + 50_000 });
  scheduler.checkSoon("web1", undefined);
  scheduler.checkSoon("web1", undefined);
  assert.equal(starts.length, 1);
});
