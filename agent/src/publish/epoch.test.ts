import assert from "node:assert/strict";
import { test } from "node:test";
import { mintEpoch } from "./epoch.ts";

const now = 1_795_000_000_000;
const day = 86_400_000;

const rows: [rule: string, known: readonly number[], epoch: number][] = [
  ["the first epoch is the wall clock", [0], now],
  ["a smaller known epoch does not count", [now - day], now],
  ["a greater known epoch is exceeded by one", [now + 5, now + 7], now + 8],
  ["[FD80] an epoch up to a day ahead is exceeded", [now + day], now + day + 1],
  ["[FD80] an epoch more than a day ahead does not count", [now + 30 * day], now],
  [
    "[FD80] beside one more than a day ahead, the greatest of the others is exceeded",
    [now + 30 * day, now + 5],
    now + 6,
  ],
];
for (const [rule, known, epoch] of rows) test(rule, () => assert.equal(mintEpoch(now, ...known), epoch));
