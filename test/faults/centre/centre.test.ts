import { test } from "node:test";
import {
  formatCentreCounts,
  injectCentreFaults,
  loseRealmWithoutCentres,
  stopDuringHangingCall,
} from "./centre-faults.ts";

test("[FE1, FE2] two aggregators of one Redis are killed and stopped during updates: no row becomes older, no record is lost or duplicated", async (t) => {
  const size = { objects: 60, batch: 10, pauseMs: 50 };
  const { flow, ...counts } = await injectCentreFaults(t, { size, rounds: 1, readEveryMs: 100 });
  t.diagnostic(formatCentreCounts(counts));
  await t.test("[FE4] a call to a realm that hangs is answered before the aggregator ends", () =>
    stopDuringHangingCall(flow),
  );
  await t.test("[FE3] a realm that was killed while no aggregator ran is not returned as reachable", () =>
    loseRealmWithoutCentres(flow),
  );
});
