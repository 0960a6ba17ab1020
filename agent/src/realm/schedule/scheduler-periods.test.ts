import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestScheduler, plan } from "./scheduler.fixture.ts";

test("[SC7] no check starts in a closed period; the next one is due at its opening", () => {
  const opensAt = 1_000_000 + 3_600_000;
  const { scheduler, clock, starts, postponed } = openTestScheduler({ open: (atMs) => atMs >= opensAt, opensAt });
  scheduler.add(plan("web1", 60_000, 15_000, "office"), { nextCheckAtMs: clock.now() + 1000 });
  clock.advance(1000);
  assert.equal(starts.length, 0);
  const at = postponed[0]?.[1] ?? 0;
  assert.ok(at >= opensAt && at < opensAt + 60_000);
  clock.advance(at - clock.now());
  assert.equal(starts.length, 1);
});

test("[SC7] all objects are checked in a period that opens for less than an interval", () => {
  const opensAt = 1_000_000 + 3_600_000;
  const closesAt = opensAt + 1000;
  const open = (atMs: number): boolean => atMs >= opensAt && atMs < closesAt;
  const { scheduler, clock, starts } = openTestScheduler({ open, opensAt, closesAt, maxConcurrent: 100 });
  for (let n = 0; n < 50; n += 1)
    scheduler.add(plan(`web${n}`, 600_000, 15_000, "minute"), { nextCheckAtMs: clock.now() + 1000 });
  clock.advance(3_601_000);
  assert.equal(new Set(starts.map(([ref]) => ref)).size, 50);
});

test("[SC7] a period that opens by a clock jump is noticed", () => {
  const opensAt = 1_000_000 + 8 * 3_600_000;
  const { scheduler, clock, starts, postponed } = openTestScheduler({ open: (atMs) => atMs >= opensAt, opensAt });
  scheduler.add(plan("web1", 60_000, 15_000, "office"), { nextCheckAtMs: clock.now() + 1000 });
  clock.advance(600_000);
  assert.equal(postponed.length, 1, "reported once, although the period is polled");
  clock.jumpWall(8 * 3_600_000);
  clock.advance(60_000);
  assert.equal(starts.length, 1);
});
