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
const claimOf = (unstoredMs: number, { published = 3, delayMs = 0, nowMs = 6_000 } = {}) => ({
  ...{ claim: { ...claim, published }, objects: 2, unstoredMs, hasRefusedRows: false, delayMs, nowMs },
});
const claimed = stateAfterClaim(noFreshnessState, claimOf(0, { nowMs: 0 }));
const unmatchedAt0 = stateAfterComparison(claimed, false, 0);
/** Proven at 0, with a next claim at 7 s that does not match. */
const unmatchedAt7 = stateAfterComparison(stateAfterComparison(claimed, true, 0), false, 7_000);
/** Proven at 4 s without a change of the last four seconds, with a next claim at 7 s that does not match. */
const unmatchedAfterUnstored = stateAfterComparison(
  stateAfterClaim(
    stateAfterComparison(stateAfterClaim(claimed, claimOf(4_000, { nowMs: 4_000 })), true, 4_000),
    claimOf(0, { published: 9, nowMs: 7_000 }),
  ),
  false,
  7_000,
);
/** As `unmatchedAt7`, with a first claim that matched late. */
const matchedLate = stateAfterComparison(stateAfterComparison(claimed, true, 3_000), false, 7_000);
const uncovered = (ms: number, delayMs = 0): FreshnessState =>
  stateAfterClaim(stateAfterComparison(claimed, true, 0), claimOf(ms, { delayMs }));
const inputs: FreshnessInputs = {
  state: stateAfterComparison(claimed, true, 0),
  nowMs: 0,
  isKnown: true,
  isHeardHere: true,
  isReachable: true,
  isRebuilding: false,
  sendsEvidence: true,
  wasProven: true,
  unpublished: [],
  catalog: { claim: undefined, held: 0, unmatchedSinceMs: undefined },
  rowsHeld: 2,
  cause: "",
  agentError: "",
};
const refused = { kind: "row", number: 2, first: "host/b", reason: "large" } as const;
const inConflict: FreshnessState = { ...claimed, conflict: { atMs: 0, detail: "two agents" } };

const cases: readonly [name: string, change: Partial<FreshnessInputs>, freshness: string, detail: RegExp][] = [
  ["[FD7] without a heartbeat", { isKnown: false }, "unknown", /no heartbeat/],
  ["[FD7] heard by another aggregator only", { isHeardHere: false }, "unknown", /^no heartbeat has arrived here yet$/],
  [
    "[FD7] heard by another aggregator only, and too long ago",
    { isHeardHere: false, isReachable: false },
    "unreachable",
    /^$/,
  ],
  ["[FD7] without a heartbeat for too long", { isReachable: false }, "unreachable", /^$/],
  ["[FD1] with a matching claim", {}, "current", /^$/],
  ["[FD56] whose agent reports an error", { agentError: "2 streams", cause: "2 streams" }, "current", /^2 streams$/],
  ["[FD2] unmatched for less than five seconds", { state: unmatchedAt0, nowMs: 4_999 }, "current", /^$/],
  ["[FD2] unmatched for five seconds", { state: unmatchedAt0, nowMs: 5_000, rowsHeld: 1 }, "behind", /1 of 2 rows are/],
  ["[FD2] with rows too many", { state: unmatchedAt0, nowMs: 5_000, rowsHeld: 5 }, "behind", /3 rows are held/],
  ["[FD2] with old rows", { state: unmatchedAt0, nowMs: 5_000 }, "behind", /older/],
  ["[FD2] with a known cause", { state: unmatchedAt0, nowMs: 5_000, cause: "SVC_STATE is full" }, "behind", /is full/],
  ["[FD2] unmatched, and proven seven seconds ago", { state: unmatchedAt7, nowMs: 7_999 }, "current", /^$/],
  ["[FD2] unmatched, and proven eight seconds ago", { state: unmatchedAt7, nowMs: 8_000 }, "behind", /older/],
  ["[FD2] unmatched, after a row was not stored", { state: unmatchedAfterUnstored, nowMs: 7_999 }, "current", /^$/],
  [
    "[FD2] unmatched, eight seconds after it changed",
    { state: unmatchedAfterUnstored, nowMs: 8_000 },
    "behind",
    /older/,
  ],
  [
    "[FD2] unmatched, eight seconds after a claim that matched late",
    { state: matchedLate, nowMs: 8_000 },
    "behind",
    /old/,
  ],
  ["[FD54] with a row not stored for less than five seconds", { state: uncovered(4_999) }, "current", /^$/],
  ["[FD54] with a row not stored for five seconds", { state: uncovered(5_000) }, "behind", /NATS has not stored/],
  [
    "[FD54] without permission for its rows",
    { state: uncovered(9_000), cause: "no permission" },
    "behind",
    /permission/,
  ],
  ["[FD54] with a row not stored for three seconds", { state: uncovered(3_000), nowMs: 10_999 }, "current", /^$/],
  [
    "[FD54] with a row not stored for three seconds, five seconds after the claim",
    { state: uncovered(3_000), nowMs: 11_000 },
    "behind",
    /NATS has not stored/,
  ],
  ["[FD54] with a row not stored for a moment, at any time", { state: uncovered(999), nowMs: 90_000 }, "current", /^$/],
  [
    "[FD55] with a claim less than a second late, at any time",
    { state: uncovered(0, 999), nowMs: 90_000 },
    "current",
    /^$/,
  ],
  ["[FD55] with a claim four seconds late", { state: uncovered(0, 4_000), nowMs: 9_999 }, "current", /^$/],
  [
    "[FD55] with a claim four seconds late and none since",
    { state: uncovered(0, 4_000), nowMs: 10_000 },
    "behind",
    /heartbeats arrive seconds late/,
  ],
  [
    "[FD55] with a claim five seconds late",
    { state: uncovered(0, 5_000), nowMs: 6_000 },
    "behind",
    /arrive seconds late/,
  ],
  [
    "[FD55] with a late claim of a row not stored for longer",
    { state: uncovered(3_000, 2_000) },
    "behind",
    /not stored/,
  ],
  [
    "[FD55] with a late claim, and a reason of the agent",
    { state: uncovered(0, 5_000), cause: "no permission" },
    "behind",
    /^no permission$/,
  ],
  [
    "[FD70] with rows and a record that NATS refuses",
    { unpublished: [refused, { ...refused, kind: "record", number: 1, first: "7" }], cause: "no permission" },
    "behind",
    /^2 rows are not published, the first is host\/b: large; 1 history record is not published: 7: large; no permission$/,
  ],
  ["[FD5] after a conflict", { state: inConflict, nowMs: 59_999 }, "conflict", /two agents/],
  ["[FD5] long after a conflict", { state: inConflict, nowMs: 60_000 }, "current", /^$/],
  ["[FD7] while its rows are read again", { isRebuilding: true }, "rebuilding", /read from NATS again/],
  ["[FD7] before its rows were proven", { state: claimed, wasProven: false }, "rebuilding", /not been proven yet/],
  ["[FD7] whose agent sends no evidence", { sendsEvidence: false }, "current", /not proven/],
];
for (const [name, change, freshness, detail] of cases)
  test(`${name} a realm is ${freshness}`, () => {
    const verdict = judgeFreshness({ ...inputs, ...change });
    assert.equal(verdict.freshness, freshness);
    assert.match(verdict.detail, detail);
  });

test("[FD2] only a match ends the time without one; an undecided comparison changes nothing", () => {
  const later = stateAfterComparison(stateAfterClaim(unmatchedAt0, claimOf(0, { published: 9 })), false, 3_000);
  assert.equal(later.unmatchedSinceMs, 0);
  assert.equal(stateAfterComparison(later, undefined, 4_000), later);
  assert.equal(stateAfterComparison(later, true, 4_000).unmatchedSinceMs, undefined);
});
