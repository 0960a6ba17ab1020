import { test } from "node:test";
import { injectCentreFaults, stopDuringHangingCall, loseRealmWithoutCentres, formatCentreCounts } from "./centre-faults.ts";

test("[I6] [I7] [I8] F06, F35 two aggregators under 500 updates a second, ten times over", async (t) => {
  const size = { objects: 2_000, batch: 50, pauseMs: 300 };
  const { flow, ...counts } = await injectCentreFaults(t, { size, rounds: 10, readEveryMs: 500 });
  // The runner of all files shows no diagnostics.
  console.log(formatCentreCounts(counts));
  await stopDuringHangingCall(flow);
  await loseRealmWithoutCentres(flow);
});
