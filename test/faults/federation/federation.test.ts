import { test } from "node:test";
import { testSeed } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { runFederationFaults } from "./run-federation-faults.ts";

/** Time for which faults happen, s; a failure of the soak test is repeated with its seed and a longer time. */
const seconds = Number(process.env["FAULT_SECONDS"] ?? 90);
/** Time after which an outdated row has to be stale, ms: longer than in the soak test, for a machine with other tests. */
const mostOutdatedMs = 15_000;

test("[FE2, FD2, FD4, FD27] after random faults for more than a minute aggregators have the realms' rows, and no command is lost, doubled or answered falsely", {
  // Beside the faults: the start, the convergence before and after them, and a machine with other tests.
  timeout: (seconds + 400) * 1_000,
}, async (t) => {
  const seed = testSeed(t);
  const lines: string[] = [];
  const print = (line: string): void => {
    lines.push(line);
    t.diagnostic(line);
  };
  await runFederationFaults(t, { seed, forMs: seconds * 1_000, pairs: false, mostOutdatedMs, print }).catch(
    (error: Error) => {
      // The test runner prints no diagnostics.
      throw new Error(`SEED=${seed}: ${error.message}\n${lines.join("\n")}`, { cause: error });
    },
  );
});
