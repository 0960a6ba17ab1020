import { test } from "node:test";
import {
  formatCentreCounts,
  injectCentreFaults,
  loseRealmWithoutCentres,
  stopDuringHangingCall,
} from "./centre-faults.ts";

test("[FE1-FE4] two aggregators are killed and stopped ten times under 500 updates a second", async (t) => {
  const size = { objects: 2_000, batch: 50, pauseMs: 300 };
  const { flow, ...counts } = await injectCentreFaults(t, { size, rounds: 10, readEveryMs: 500 });
  // The test runner prints no diagnostics.
  console.log(formatCentreCounts(counts));
  await stopDuringHangingCall(flow);
  await loseRealmWithoutCentres(flow);
});
