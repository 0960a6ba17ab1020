import { test } from "node:test";
import { testSeed } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { killUnderLoad, formatKillCounts } from "./kill-under-load.ts";

test("[I1] [I3] [I4] [I16] [F02] a hundred times kill -9 under load", async (t) => {
  const seed = testSeed(t);
  const counts = formatKillCounts(await killUnderLoad(t, { rounds: 100, seed }), seed);
  t.diagnostic(counts);
  // The runner of all files shows no diagnostics.
  console.log(counts);
});
