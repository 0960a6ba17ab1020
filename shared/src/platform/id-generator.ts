import { randomFillSync, randomInt } from "node:crypto";
import type { Clock } from "../model/clock.ts";

/** Crockford's base 32 in lower case: no letters that look like digits, and text order equals numeric order. */
const digits = "0123456789abcdefghjkmnpqrstvwxyz";
const timeDigits = 9;
const randomDigits = 8;
const randomSpan = 2 ** (5 * randomDigits);
const randomSize = (randomDigits * 5) / 8;

/**
 * Returns a generator of ids of 17 characters of `0-9a-z`: 9 for the wall clock in ms and 8 random ones (40 bits). Ids
 * of one generator are distinct and sort in the order of generation, even when the clock stands still or jumps back.
 */
export function idGenerator(clock: Clock): () => string {
  // Random bytes are drawn in bulk, because the system call dominates the cost.
  const pool = Buffer.alloc(1_000 * randomSize);
  let drawn = pool.length;
  function draw(): number {
    if (drawn === pool.length) {
      randomFillSync(pool);
      drawn = 0;
    }
    drawn += randomSize;
    return pool.readUIntBE(drawn - randomSize, randomSize);
  }
  let atMs = 0;
  let random = 0;
  return () => {
    const nowMs = clock.now();
    if (nowMs > atMs) {
      atMs = nowMs;
      random = draw();
    } else {
      random += randomInt(1, 2 ** 20);
      if (random >= randomSpan) {
        atMs += 1;
        random = draw();
      }
    }
    return encode(atMs, timeDigits) + encode(random, randomDigits);
  };
}

function encode(value: number, length: number): string {
  let text = "";
  for (let rest = Math.floor(value); text.length < length; rest = Math.floor(rest / 32)) {
    text = digits.charAt(rest % 32) + text;
  }
  return text;
}
