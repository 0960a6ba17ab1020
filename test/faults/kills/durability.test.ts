import { test } from "node:test";
import { testSeed } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { formatKillCounts, killUnderLoad } from "./kill-under-load.ts";

test("[DU12, AU1, DL1, DL18] kill -9 under load: no accepted command is lost or applied twice, no notification repeated without a kill", async (t) => {
  const seed = testSeed(t);
  t.diagnostic(formatKillCounts(await killUnderLoad(t, { rounds: 6, seed }), seed));
});
