import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom, testSeed } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { type CheckCadence, runCrashLoop, formatLoopCounts } from "./crash-loop.ts";

/** 67 checks a second are due, 100 of those that were missed: all at once would be 2 000. */
const cadence: CheckCadence = { objects: 2_000, intervalMs: 30_000, retryMs: 20_000 };

test("[I4] [SC1] [SC14] F07 killed every six seconds for five minutes, an agent still gets round to every check", async (t) => {
  const seed = testSeed(t);
  const chance = seededRandom(seed);
  const counts = await runCrashLoop(t, { cadence, kills: 50, upMs: () => 3_000 + chance.upTo(4_000) });
  // The runner of all files shows no diagnostics.
  console.log(`seed ${seed}: ${formatLoopCounts(counts)}`);
  assert.ok(
    counts.inFirstSecond < cadence.objects / 2,
    `${counts.inFirstSecond} checks in the first second of a start`,
  );
  assert.equal(counts.unseen, 0, "no host waits for the end of the loop");
  assert.ok(counts.checks < 3 * counts.due, "and nobody is checked again and again");
});
