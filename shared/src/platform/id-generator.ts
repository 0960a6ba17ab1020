import { randomFillSync, randomInt } from "node:crypto";
import type { Clock } from "../model/clock.ts";

/** Crockford's base 32 in lower case: no letter that reads like a digit, and text order is number order. */
const digits = "0123456789abcdefghjkmnpqrstvwxyz";
const timeDigits = 9;
const randomDigits = 8;
const randomSpan = 2 ** (5 * randomDigits);
const randomSize = (randomDigits * 5) / 8;

/**
 * Makes a mint of ids: 17 characters of `0-9a-z`, 9 of the wall clock's ms and 8 at random (40 bits). Ids of one
 * mint are distinct and sort in the order of minting, also where the clock stands still or jumps back.
 */
export function idGenerator(clock: Clock): () => string {
  // Drawn in bulk: asking the system costs more than all the rest.
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
    return write(atMs, timeDigits) + write(random, randomDigits);
  };
}

function write(value: number, length: number): string {
  let text = "";
  for (let rest = Math.floor(value); text.length < length; rest = Math.floor(rest / 32)) {
    text = digits.charAt(rest % 32) + text;
  }
  return text;
}
