import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom, testSeed } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { type CheckCadence, formatLoopCounts, runCrashLoop } from "./crash-loop.ts";

/** 67 checks a second are due, and 100 make-up checks a second after an outage; all at once would be 2000. */
const cadence: CheckCadence = { objects: 2_000, intervalMs: 30_000, retryMs: 20_000 };

test("[SC1, SC14, DL18] an agent that is killed every six seconds for five minutes runs every check", async (t) => {
  const seed = testSeed(t);
  const chance = seededRandom(seed);
  const counts = await runCrashLoop(t, { cadence, kills: 50, upMs: () => 3_000 + chance.upTo(4_000) });
  // The test runner prints no diagnostics.
  console.log(`seed ${seed}: ${formatLoopCounts(counts)}`);
  assert.ok(
    counts.inFirstSecond < cadence.objects / 2,
    `${counts.inFirstSecond} checks in the first second of a start`,
  );
  assert.equal(counts.unseen, 0, "every host was checked during the loop");
  assert.ok(counts.checks < 3 * counts.due, "no host is checked too often");
});
