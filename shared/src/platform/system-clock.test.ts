import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { sleep } from "../model/clock.ts";
import { systemClock } from "./system-clock.ts";

test("a wait of zero or negative duration ends", async () => {
  await sleep(systemClock, 0);
  await sleep(systemClock, -5);
});

test("a wait never ends early on the monotonic clock", async () => {
  for (const ms of [0.2, 1, 7.9]) {
    const dueMs = systemClock.monotonic() + ms;
    await sleep(systemClock, ms);
    assert.ok(systemClock.monotonic() >= dueMs);
  }
});

test("[SC16] a wait longer than the maximum timer delay does not fire at once", async () => {
  let fired = false;
  const cancel = systemClock.after(3.6e9, () => {
    fired = true;
  });
  await sleep(systemClock, 20);
  cancel();
  assert.equal(fired, false);
});

test("[SC16] a wait longer than the maximum timer delay fires on time", () => {
  let nowMs = 0;
  const realNow = performance.now;
  performance.now = () => nowMs;
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    let calls = 0;
    systemClock.after(2 ** 31 + 500, () => calls++);
    nowMs = 2 ** 31 - 1;
    mock.timers.tick(nowMs);
    assert.equal(calls, 0);
    nowMs = 2 ** 31 + 500;
    mock.timers.tick(501);
    assert.equal(calls, 1);
  } finally {
    mock.timers.reset();
    performance.now = realNow;
  }
});

test("a cancelled wait does not fire", async () => {
  let fired = false;
  systemClock.after(1, () => {
    fired = true;
  })();
  await sleep(systemClock, 10);
  assert.equal(fired, false);
});
