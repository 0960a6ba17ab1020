import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../model/manual-clock.fixture.ts";
import { idGenerator } from "./id-generator.ts";

test("ids are short, distinct and sorted while the clock stands still, advances and jumps back", () => {
  const clock = manualClock(1_790_000_000_000);
  const generate = idGenerator(clock);
  const ids: string[] = [];
  for (let i = 0; i < 20_000; i++) {
    if (i % 1_000 === 0) clock.advance(1);
    if (i === 10_000) clock.jumpWall(-60_000);
    ids.push(generate());
  }
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(ids, [...ids].sort());
  assert.ok(ids.every((id) => /^[0-9a-hjkmnp-tv-z]{17}$/.test(id)));
});

test("two generators at the same time produce different ids", () => {
  const clock = manualClock(1);
  assert.notEqual(idGenerator(clock)(), idGenerator(clock)());
});
