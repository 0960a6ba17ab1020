import assert from "node:assert/strict";
import { test } from "node:test";
import type { PairStatus } from "../../model/pair-status.ts";
import type { RealmView } from "../../model/realm.ts";
import { RealmChanges } from "./realm-changes.ts";

const pair: PairStatus = {
  ...{ self: "fra-a", role: "active", active: "fra-a", standby: "fra-b", inSync: true, degraded: false, lagMs: 0 },
  ...{ term: 7, leaseMs: 45_000, marginMs: 9_000, leaseRemainingMs: 40_000, promiseRemainingMs: 45_000, reason: "" },
  ...{ sinceMs: 0, documentsDiffer: false, lastTakeover: undefined, asOfMs: undefined },
};
const realm: RealmView = {
  ...{ name: "fra", reachable: true, lastSeenAtMs: 1, description: "", labels: {}, clockSkewMs: 0 },
  ...{ toggles: undefined, freshness: "current", behindSinceMs: undefined, rowsHeld: 1, rowsExpected: 1 },
  ...{ detail: "", version: "1", pair },
};

test("[PA50] a client gets a realm again when its pair changed, not when only the lease ran on", () => {
  const changes = new RealmChanges();
  changes.note([realm]);
  const position = changes.position();
  const sent = (next: PairStatus | undefined) => {
    changes.note([{ ...realm, pair: next }]);
    return changes.since(position).realms.length;
  };
  assert.equal(sent({ ...pair, leaseRemainingMs: 31_000, promiseRemainingMs: 2, lagMs: 40 }), 0);
  assert.equal(sent({ ...pair, inSync: false, degraded: true }), 1);
  assert.equal(sent(undefined), 1);
});
