import { test } from "node:test";
import { seededRandom, testSeed } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { healthy, startPair } from "./pair-environment.ts";
import { pairFaults } from "./pair-faults.ts";
import { startPairLoad } from "./pair-load.ts";
import { lastLogs } from "./pair-member.ts";
import { judgePair } from "./pair-oracle.ts";
import { watchPair } from "./pair-watch.ts";

/** Time for which faults happen, minutes. */
const minutes = Number(process.env["FAULT_MINUTES"] ?? 60);
/** Faults after which everything is compared, so that a failure names the faults that it came from. */
const faultsPerRound = 5;

test(`[PA2, PA30, PA35, PA43] ${minutes} minutes of random faults at a pair of agents`, async (t) => {
  // The test runner prints no diagnostics.
  const startedMs = performance.now();
  const print = (line: string): void => console.log(`${Math.round(performance.now() - startedMs)} ms: ${line}`);
  const seed = testSeed({ diagnostic: print });
  const random = seededRandom(seed);
  for (let round = 0; performance.now() - startedMs < minutes * 60_000; round++)
    await t.test(`round ${round}`, async (scope) => {
      const pair = await startPair(scope);
      const watch = await watchPair(scope, pair);
      const load = startPairLoad(scope, pair, seededRandom(seed + round), 200);
      try {
        for (let count = 0; count < faultsPerRound; count++) {
          const fault = random.oneOf(pairFaults(pair, random));
          print(`at ${Math.round(performance.now())}: ${fault.name}`);
          await fault.run();
          await healthy(pair);
        }
        await load.stop();
        print(await judgePair(pair, load.record, watch));
      } catch (error) {
        print(`round ${round} failed: ${error instanceof Error ? error.message : error}\n${lastLogs(pair.members)}`);
        throw error;
      }
    });
});
