import { test } from "node:test";
import { killUnderLoad, showCounts } from "./kill-under-load.ts";
import { testSeed } from "@realmwatch/shared/platform/testing/seeded-random.fixture";

test("[I1] [I3] [I4] [I16] [F02] a hundred times kill -9 under load", async (t) => {
  const seed = testSeed(t);
  const counts = showCounts(await killUnderLoad(t, { rounds: 100, seed }), seed);
  t.diagnostic(counts);
  // The runner of all files shows no diagnostics.
  console.log(counts);
});
