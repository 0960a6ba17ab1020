import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { AdaptiveConcurrency } from "./adaptive-concurrency.ts";

function open(most = 8) {
  const clock = manualClock();
  let resumed = 0;
  const pressure = new AdaptiveConcurrency(clock, most, () => {
    resumed += 1;
  });
  return { pressure, advance: clock.advance, resumed: () => resumed };
}

test("[PG6] after a failure there is a pause, then the limit is the running number and grows with each start", () => {
  const { pressure, advance, resumed } = open();
  assert.equal(pressure.recordShortage(5), "wait");
  assert.equal(pressure.limit, 0);
  advance(50);
  assert.deepEqual([pressure.limit, resumed()], [5, 1]);
  for (const limit of [6, 7, 8, 8]) {
    pressure.recordStart();
    assert.equal(pressure.limit, limit);
  }
});

test("[PG6] the pause doubles up to a second and is reset by a start", () => {
  const { pressure, advance, resumed } = open();
  const pauses = [50, 100, 200, 400, 800, 1_000, 1_000];
  for (const [round, pauseMs] of pauses.entries()) {
    pressure.recordShortage(1);
    advance(pauseMs - 1);
    assert.equal(resumed(), round);
    advance(1);
    assert.equal(resumed(), round + 1);
  }
  pressure.recordStart();
  pressure.recordShortage(1);
  advance(50);
  assert.equal(resumed(), pauses.length + 1);
});

test("[PG6] failures within one pause count once, and the limit is at least 1", () => {
  const { pressure, advance, resumed } = open();
  for (const running of [3, 2, 1, 0]) pressure.recordShortage(running);
  advance(50);
  assert.deepEqual([pressure.limit, resumed()], [1, 1]);
});

test("[PG6] it gives up when no program is running and the shortage lasts two seconds", () => {
  const { pressure, advance } = open();
  assert.equal(pressure.recordShortage(0), "wait");
  advance(1_999);
  assert.equal(pressure.recordShortage(0), "wait");
  advance(1);
  assert.equal(pressure.recordShortage(2), "wait");
  assert.equal(pressure.recordShortage(0), "give_up");
  pressure.recordStart();
  assert.equal(pressure.recordShortage(0), "wait");
});

test("[PG6] stopping cancels the pause", () => {
  const { pressure, advance, resumed } = open();
  pressure.recordShortage(1);
  pressure.stop();
  advance(10_000);
  assert.equal(resumed(), 0);
});
