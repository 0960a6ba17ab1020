import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type FreshnessInputs,
  type FreshnessState,
  judgeFreshness,
  noFreshnessState,
  stateAfterClaim,
  stateAfterComparison,
} from "./realm-freshness.ts";

const claim = { epoch: 1, published: 3, rows: 2, digest: 5n };
const claimed = stateAfterClaim(noFreshnessState, claim);
const unmatchedAt0 = stateAfterComparison({ ...claimed, wasProven: true }, false, 0);
const inputs: FreshnessInputs = {
  state: stateAfterComparison(claimed, true, 0),
  nowMs: 0,
  isKnown: true,
  isReachable: true,
  isRebuilding: false,
  sendsEvidence: true,
  rowsHeld: 2,
  cause: "",
};
const inConflict: FreshnessState = { ...claimed, wasProven: true, conflict: { atMs: 0, detail: "two agents" } };

const cases: readonly [name: string, change: Partial<FreshnessInputs>, freshness: string, detail: RegExp][] = [
  ["[FD7] without a heartbeat", { isKnown: false }, "unknown", /no heartbeat/],
  ["[FD7] without a heartbeat for too long", { isReachable: false }, "unreachable", /^$/],
  ["[FD1] with a matching claim", {}, "current", /^$/],
  ["[FD2] unmatched for less than five seconds", { state: unmatchedAt0, nowMs: 4_999 }, "current", /^$/],
  ["[FD2] unmatched for five seconds", { state: unmatchedAt0, nowMs: 5_000, rowsHeld: 1 }, "behind", /1 of 2 rows are/],
  ["[FD2] with rows too many", { state: unmatchedAt0, nowMs: 5_000, rowsHeld: 5 }, "behind", /3 rows are held/],
  ["[FD2] with old rows", { state: unmatchedAt0, nowMs: 5_000 }, "behind", /older/],
  ["[FD2] with a known cause", { state: unmatchedAt0, nowMs: 5_000, cause: "SVC_STATE is full" }, "behind", /is full/],
  ["[FD5] after a conflict", { state: inConflict, nowMs: 59_999 }, "conflict", /two agents/],
  ["[FD5] long after a conflict", { state: inConflict, nowMs: 60_000 }, "current", /^$/],
  ["[FD7] while its rows are read again", { isRebuilding: true }, "rebuilding", /read from NATS again/],
  ["[FD7] before its rows were proven", { state: claimed }, "rebuilding", /not been proven yet/],
  ["[FD7] whose agent sends no evidence", { sendsEvidence: false }, "current", /not proven/],
];
for (const [name, change, freshness, detail] of cases)
  test(`${name} a realm is ${freshness}`, () => {
    const verdict = judgeFreshness({ ...inputs, ...change });
    assert.equal(verdict.freshness, freshness);
    assert.match(verdict.detail, detail);
  });

test("[FD2] only a match ends the time without one; an undecided comparison changes nothing", () => {
  const later = stateAfterComparison(stateAfterClaim(unmatchedAt0, { ...claim, published: 9 }), false, 3_000);
  assert.equal(later.unmatchedSinceMs, 0);
  assert.equal(stateAfterComparison(later, undefined, 4_000), later);
  assert.equal(stateAfterComparison(later, true, 4_000).unmatchedSinceMs, undefined);
});
