import { test } from "node:test";
import { testSeed } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { formatKillCounts, killUnderLoad } from "./kill-under-load.ts";

test("[DU12, AU1, DL1, DL18] a hundred times kill -9 under load", async (t) => {
  const seed = testSeed(t);
  const counts = formatKillCounts(await killUnderLoad(t, { rounds: 100, seed }), seed);
  t.diagnostic(counts);
  // The test runner prints no diagnostics.
  console.log(counts);
});
