import { randomBytes, randomInt } from "node:crypto";
import type { Clock } from "../words/clock.ts";

/** Crockford's base 32 in lower case: no letter that reads like a digit, and text order is number order. */
const digits = "0123456789abcdefghjkmnpqrstvwxyz";
const timeDigits = 9;
const randomDigits = 8;
const randomSpan = 2 ** (5 * randomDigits);

/**
 * Makes a mint of ids: 17 characters of `0-9a-z`, 9 of the wall clock's ms and 8 at random (40 bits). Ids of one
 * mint are distinct and sort in the order of minting, also where the clock stands still or jumps back.
 */
export function openMint(clock: Clock): () => string {
  let atMs = 0;
  let random = 0;
  return () => {
    const nowMs = clock.now();
    if (nowMs > atMs) {
      atMs = nowMs;
      random = randomBytes(6).readUIntBE(0, 5);
    } else {
      random += randomInt(1, 2 ** 20);
      if (random >= randomSpan) {
        atMs += 1;
        random = randomBytes(6).readUIntBE(0, 5);
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
