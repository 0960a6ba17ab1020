import { test } from "node:test";
import { testSeed } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { runFederationFaults } from "./run-federation-faults.ts";

/** Time for which faults happen, minutes. */
const minutes = Number(process.env["FAULT_MINUTES"] ?? 60);

test(`[FE2, FD2, FD4, FD27] ${minutes} minutes of random faults in a federation of three realms`, async (t) => {
  // The test runner prints no diagnostics.
  const print = (line: string): void => console.log(line);
  const seed = testSeed({ diagnostic: print });
  await runFederationFaults(t, { seed, forMs: minutes * 60_000, pairs: true, mostOutdatedMs: 10_000, print });
});
