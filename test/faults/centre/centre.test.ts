import { test } from "node:test";
import { injectCentreFaults, stopDuringHangingCall, loseRealmWithoutCentres, formatCentreCounts } from "./centre-faults.ts";

test("[I6] [I7] [I8] F06, F35 two aggregators of one Redis are killed and ended in mid-stream: rows never go back, nothing is missing or twice", async (t) => {
  const size = { objects: 60, batch: 10, pauseMs: 50 };
  const { flow, ...counts } = await injectCentreFaults(t, { size, rounds: 1, readEveryMs: 100 });
  t.diagnostic(formatCentreCounts(counts));
  await t.test("a call on its way to a realm that hangs is answered before the aggregator ends", () =>
    stopDuringHangingCall(flow),
  );
  await t.test("a realm that died meanwhile is not shown as reachable", () => loseRealmWithoutCentres(flow));
});
