import { test } from "node:test";
import { testSeed } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { killUnderLoad, formatKillCounts } from "./kill-under-load.ts";

test("[I1] [I3] [I4] [I16] [F02] kill -9 under load: nothing accepted is lost, nothing is done or told twice without a kill", async (t) => {
  const seed = testSeed(t);
  t.diagnostic(formatKillCounts(await killUnderLoad(t, { rounds: 6, seed }), seed));
});
