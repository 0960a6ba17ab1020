import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestScheduler, plan } from "./scheduler.fixture.ts";

test("[SC3] a requested check runs now, keeps the cadence, and runs once more if one is running", () => {
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

test("[SC4] an on-demand check is skipped if the last result is younger than 15 s", () => {
  const { scheduler, clock, starts } = openTestScheduler();
  scheduler.add(plan("web1"), { nextCheckAtMs: clock.now() + 50_000 });
  scheduler.checkSoon("web1", clock.now() - 14_999);
  assert.equal(starts.length, 0);
  scheduler.checkSoon("web1", clock.now() - 15_000);
  scheduler.checkSoon("web1", clock.now() - 15_000);
  assert.equal(starts.length, 1);
});

test("[SC4] an on-demand check without a known result runs at once, but never beside another one", () => {
  const { scheduler, starts } = openTestScheduler();
  scheduler.add(plan("web1"), { nextCheckAtMs: 1_000_000 + 50_000 });
  scheduler.checkSoon("web1", undefined);
  scheduler.checkSoon("web1", undefined);
  assert.equal(starts.length, 1);
});
