import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Interval } from "../calendar/interval.ts";
import { isProblem, type StateType, type Status } from "../model/status.ts";
import { downtimeIntervals } from "./downtime-intervals.ts";
import { evidenceOf } from "./evidence.ts";
import { measureObject } from "./object-availability.ts";
import { type DowntimeEdge, noRecords, type ObjectRecords, type StateTransition } from "./object-records.ts";
import { setsHardStatus, statusPieces } from "./status-pieces.ts";

/** Event of one second in the life of a simulated agent with one object. */
type Second =
  | { readonly kind: "result"; readonly status: Status }
  | { readonly kind: "downtime"; readonly id: number; readonly ends: "runs out" | "is deleted" }
  | { readonly kind: "agent" }
  | { readonly kind: "nothing" };

const second: fc.Arbitrary<Second> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ kind: "nothing" } as const) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("result" as const),
      status: fc.constantFrom<Status>("ok", "ok", "warning", "critical", "unknown"),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("downtime" as const),
      id: fc.integer({ min: 0, max: 2 }),
      ends: fc.constantFrom("runs out" as const, "is deleted" as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "agent" } as const) },
);

const maxAttempts = 3;
const startMs = 1_000_000;

/**
 * Simulates second by second. `truth`: the hard status and downtime of each second; the status is `none` while the agent
 * does not run.
 */
function simulate(seconds: readonly Second[]) {
  const states: StateTransition[] = [];
  const edges: DowntimeEdge[] = [];
  const gaps: Interval[] = [];
  const truth: { status: Status | "none"; inDowntime: boolean; isSoft: boolean }[] = [];
  let phase: { status: Status; stateType: StateType; attempt: number } = {
    status: "pending",
    stateType: "hard",
    attempt: 1,
  };
  let hard: Status = "pending";
  let lastHardChangeAtMs: number | undefined;
  let stoppedAtMs: number | undefined;
  const active = new Set<number>();
  seconds.forEach((what, at) => {
    const atMs = startMs + at * 1000;
    if (what.kind === "agent") {
      if (stoppedAtMs === undefined) stoppedAtMs = atMs;
      else {
        gaps.push({ fromMs: stoppedAtMs, toMs: atMs });
        stoppedAtMs = undefined;
      }
    } else if (stoppedAtMs === undefined && what.kind === "result") {
      const { status } = what;
      const wasHardProblem = isProblem(phase.status) && phase.stateType === "hard";
      const attempt = isProblem(phase.status) ? phase.attempt + 1 : 1;
      const isHard = !isProblem(status) || wasHardProblem || attempt >= maxAttempts;
      const after = { status, stateType: isHard ? "hard" : "soft", attempt: isHard ? 1 : attempt } as const;
      const isRecovery = !isProblem(status) && isProblem(phase.status) && !wasHardProblem;
      if (after.status !== phase.status || after.stateType !== phase.stateType || after.attempt !== phase.attempt)
        states.push({
          atMs,
          status,
          previousStatus: phase.status,
          stateType: isRecovery ? "soft" : after.stateType,
        });
      if (isHard && hard !== status) lastHardChangeAtMs = atMs;
      if (isHard) hard = status;
      phase = after;
    } else if (stoppedAtMs === undefined && what.kind === "downtime") {
      const was = active.size;
      if (active.delete(what.id)) {
        if (what.ends === "is deleted") edges.push({ atMs, kind: "cancelled", untilMs: 1e12 });
        else if (active.size === 0) edges.push({ atMs, kind: "end", untilMs: 1e12 });
      } else {
        active.add(what.id);
        if (was === 0) edges.push({ atMs, kind: "start", untilMs: 1e12 });
      }
    }
    truth.push({
      status: stoppedAtMs === undefined ? hard : "none",
      inDowntime: active.size > 0,
      isSoft: phase.stateType === "soft",
    });
  });
  const nowMs = startMs + seconds.length * 1000;
  if (stoppedAtMs !== undefined) gaps.push({ fromMs: stoppedAtMs, toMs: nowMs });
  return {
    states,
    edges,
    gaps,
    truth,
    nowMs,
    present: { lastHardStatus: hard, lastHardChangeAtMs, downtimeSinceMs: active.size > 0 ? startMs : undefined },
  };
}

/** Records as a query for a range finds them, when those before `keptFromMs` were deleted. */
function recordsFor(
  { states, edges }: { states: readonly StateTransition[]; edges: readonly DowntimeEdge[] },
  range: Interval,
  keptFromMs: number,
): ObjectRecords {
  const isIn = ({ atMs }: { atMs: number }) => atMs >= range.fromMs && atMs < range.toMs;
  const isBefore = ({ atMs }: { atMs: number }) => atMs >= keptFromMs && atMs < range.fromMs;
  const isAfter = ({ atMs }: { atMs: number }) => atMs >= range.toMs;
  return {
    states: states.filter(isIn),
    edges: edges.filter(isIn),
    stateBefore: states.filter((state) => isBefore(state) && setsHardStatus(state)).at(-1) ?? states.find(isBefore),
    edgeBefore: edges.filter(isBefore).at(-1),
    stateAfter: states.find(isAfter),
    edgeAfter: edges.find(isAfter),
  };
}

const secondsOf = (map: ReadonlyMap<string, number>) =>
  Object.fromEntries([...map].map(([key, ms]) => [key, ms / 1000]));

test("[SL1-SL5] the times are those of a walk over every second, for any range, downtimes, gaps, period and retention", () => {
  const numbers = fc.integer({ min: 0, max: 80 });
  fc.assert(
    fc.property(
      fc.array(second, { minLength: 1, maxLength: 80 }),
      numbers,
      numbers,
      numbers,
      fc.boolean(),
      fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
      (seconds, a, b, kept, excludeDowntimes, openings) => {
        const run = simulate(seconds);
        // A soft problem keeps the hard state before it. That state is unknown when the records of it were deleted.
        fc.pre(run.truth[kept - 1]?.isSoft !== true);
        const [first, last] = [Math.min(a, b), Math.max(a, b) + 1];
        const range = { fromMs: startMs + first * 1000, toMs: startMs + last * 1000 };
        const sinceMs = startMs + kept * 1000;
        const records = recordsFor(run, range, sinceMs);
        const measured = openings.flatMap((isOpen, at) => {
          const fromMs = Math.max(range.fromMs, startMs + at * 10_000);
          const toMs = Math.min(range.toMs, startMs + (at + 1) * 10_000);
          return isOpen && fromMs < toMs ? [{ fromMs, toMs }] : [];
        });
        const times = measureObject(
          {
            pieces: statusPieces(records, { range, present: run.present, configuredAtMs: [] }),
            downtimes: downtimeIntervals(records, {
              range: { ...range, toMs: Math.min(range.toMs, run.nowMs) },
              present: run.present,
            }),
          },
          {
            measured,
            evidence: evidenceOf({ sinceMs, gaps: run.gaps, configuredAtMs: [] }, range, run.nowMs),
            excludeDowntimes,
          },
        );

        const expected = new Map<string, number>();
        let downtimeSeconds = 0;
        for (let at = first; at < last; at += 1) {
          if (openings[Math.floor(at / 10)] !== true) continue;
          const { status, inDowntime } = run.truth[at] ?? { status: "none", inDowntime: false };
          if (inDowntime) downtimeSeconds += 1;
          if (inDowntime && excludeDowntimes) continue;
          const key = at < kept ? "none" : status;
          expected.set(key, (expected.get(key) ?? 0) + 1);
        }
        assert.deepEqual(secondsOf(times.byStatus), Object.fromEntries([...expected]));
        // An earlier downtime whose records were deleted leaves no trace.
        if (kept <= first) assert.equal(times.downtimeMs / 1000, downtimeSeconds);
      },
    ),
    { numRuns: 3000 },
  );
});

test("[SL4] an object that was added again has no evidence from the configuration on that may have removed it", () => {
  const state = (atMs: number, status: Status, previousStatus: Status): StateTransition => ({
    atMs,
    status,
    previousStatus,
    stateType: "hard",
  });
  const pieces = statusPieces(
    { ...noRecords, states: [state(10, "ok", "pending"), state(90, "critical", "pending")] },
    {
      range: { fromMs: 0, toMs: 100 },
      present: { lastHardStatus: "critical", lastHardChangeAtMs: 90, downtimeSinceMs: undefined },
      configuredAtMs: [5, 40, 80],
    },
  );
  assert.deepEqual(
    pieces.map(({ fromMs, status }) => `${fromMs} ${status}`),
    ["0 undefined", "5 pending", "10 ok", "40 undefined", "90 critical"],
  );
});

test("[SL2] a record that cannot be read leaves the status unknown until the next one", () => {
  const read: StateTransition = { atMs: 10, status: "ok", previousStatus: "pending", stateType: "hard" };
  const damaged: StateTransition = { atMs: 20, status: undefined, previousStatus: undefined, stateType: "hard" };
  const next: StateTransition = { atMs: 30, status: "ok", previousStatus: "critical", stateType: "hard" };
  const pieces = statusPieces(
    { ...noRecords, stateBefore: { ...read, atMs: -5 }, states: [damaged, next] },
    {
      range: { fromMs: 0, toMs: 40 },
      present: { lastHardStatus: "ok", lastHardChangeAtMs: 30, downtimeSinceMs: undefined },
      configuredAtMs: [],
    },
  );
  assert.deepEqual(
    pieces.map(({ fromMs, status }) => [fromMs, status]),
    [
      [0, "ok"],
      [20, undefined],
      [30, "ok"],
    ],
  );
});

test("[SL3] a downtime whose object was removed ends as planned", () => {
  const start: DowntimeEdge = { atMs: 10, kind: "start", untilMs: 50 };
  const range = { fromMs: 0, toMs: 100 };
  const present = { downtimeSinceMs: undefined };
  assert.deepEqual(downtimeIntervals({ ...noRecords, edges: [start] }, { range, present }), [{ fromMs: 10, toMs: 50 }]);
  assert.deepEqual(downtimeIntervals({ ...noRecords, edgeBefore: { ...start, atMs: -10 } }, { range, present }), [
    { fromMs: 0, toMs: 50 },
  ]);
  const again: DowntimeEdge = { atMs: 30, kind: "start", untilMs: 70 };
  assert.deepEqual(downtimeIntervals({ ...noRecords, edges: [start, again] }, { range, present }), [
    { fromMs: 10, toMs: 70 },
  ]);
});

test("[SL3] a downtime that has no record counts when it is older than the range", () => {
  const range = { fromMs: 0, toMs: 100 };
  const found = (downtimeSinceMs: number) => downtimeIntervals(noRecords, { range, present: { downtimeSinceMs } });
  assert.deepEqual(found(-10), [range]);
  assert.deepEqual(found(10), [], "its start is not written yet");
});
