import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { sleep } from "../model/clock.ts";
import { systemClock } from "./system-clock.ts";

test("a wait of nothing ends", async () => {
  await sleep(systemClock, 0);
  await sleep(systemClock, -5);
});

test("a wait never ends before its time on the monotonic clock", async () => {
  for (const ms of [0.2, 1, 7.9]) {
    const dueMs = systemClock.monotonic() + ms;
    await sleep(systemClock, ms);
    assert.ok(systemClock.monotonic() >= dueMs);
  }
});

test("[B31] a wait longer than a timer holds does not ring at once", async () => {
  let rang = false;
  const cancel = systemClock.after(3.6e9, () => {
    rang = true;
  });
  await sleep(systemClock, 20);
  cancel();
  assert.equal(rang, false);
});

test("[B31] a wait longer than a timer holds rings in the end", () => {
  let nowMs = 0;
  const realNow = performance.now;
  performance.now = () => nowMs;
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    let rings = 0;
    systemClock.after(2 ** 31 + 500, () => rings++);
    nowMs = 2 ** 31 - 1;
    mock.timers.tick(nowMs);
    assert.equal(rings, 0);
    nowMs = 2 ** 31 + 500;
    mock.timers.tick(501);
    assert.equal(rings, 1);
  } finally {
    mock.timers.reset();
    performance.now = realNow;
  }
});

test("a cancelled wait does not ring", async () => {
  let rang = false;
  systemClock.after(1, () => {
    rang = true;
  })();
  await sleep(systemClock, 10);
  assert.equal(rang, false);
});
