import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObjectPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import type { Downtime } from "@realmwatch/shared/model/downtime";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import type { ObjectToggles } from "@realmwatch/shared/model/toggles";
import { type FoldedState, foldHistory } from "@realmwatch/shared/read-model/history/fold-history";
import fc from "fast-check";
import type { CheckResult, ObjectInput } from "../input.ts";
import { defaultObjectContext } from "../object-context.fixture.ts";
import { flapPlan, httpService } from "../plans.fixture.ts";
import { resultAt } from "../step.fixture.ts";
import { step } from "../step.ts";
import { attemptOf, maxAttemptsOf, stateTypeOf, statusOf } from "./attempts.ts";
import { newState, type ObjectState } from "./object-state.ts";

const plan = {
  ...httpService,
  policy: "",
  flap: { ...flapPlan, alpha: 0.3, highThreshold: 0.5, lowThreshold: 0.2 },
} as unknown as ServicePlan;

const by = { author: "ann", onBehalfOf: "" };

type Deed = { readonly afterMs: number; readonly kind: string; readonly what: number };

const statuses = ["ok", "warning", "critical", "unknown"] as const;
const switches = ["notifications", "activeChecks", "passiveChecks", "eventHandler", "flapDetection"] as const;

/** What a deed is at an instant. `n` makes ids unlike each other. */
function inputOf({ kind, what }: Deed, nowMs: number, n: number): ObjectInput {
  switch (kind) {
    case "result":
      return { kind: "result", result: resultOf(statuses[what % 4] ?? "ok", nowMs) };
    case "acknowledge": {
      const expiresAtMs = what % 3 === 0 ? nowMs + 100 : undefined;
      const acknowledgement = { ...by, comment: `on it ${n}`, sticky: what % 2 === 0, atMs: nowMs, expiresAtMs };
      return { kind: "acknowledge", acknowledgement, notify: false };
    }
    case "remove_acknowledgement":
      return { kind: "remove_acknowledgement", by };
    case "schedule_downtime":
      return { kind: "schedule_downtime", downtime: downtimeOf(what, nowMs, `d${n}`) };
    case "delete_downtime":
      return { kind: "delete_downtime", id: `d${what % (n + 1)}`, by };
    case "add_comment":
      return { kind: "add_comment", comment: { id: `c${n}`, ...by, text: `note ${n}`, atMs: nowMs } };
    case "delete_comment":
      return { kind: "delete_comment", id: `c${what % (n + 1)}`, by };
    default:
      return { kind: "set_toggle", toggle: switches[what % 5] as keyof ObjectToggles, enabled: what % 2 === 0, by };
  }
}

const resultOf = (status: CheckResult["status"], nowMs: number): CheckResult =>
  resultAt(nowMs, status, { output: `${status} at ${nowMs}` });

const downtimeOf = (what: number, nowMs: number, id: string): Downtime => ({
  id,
  ...by,
  comment: "disks",
  startMs: nowMs + (what % 4) * 20,
  endMs: nowMs + (what % 4) * 20 + 60,
  inEffect: false,
  shape: what % 2 === 0 ? { kind: "fixed" } : { kind: "flexible", durationMs: 90, active: undefined },
});

const deeds = fc.array(
  fc.record({
    afterMs: fc.nat({ max: 40 }),
    kind: fc.constantFrom(
      "result",
      "result",
      "result",
      "acknowledge",
      "remove_acknowledgement",
      "schedule_downtime",
      "delete_downtime",
      "add_comment",
      "delete_comment",
      "set_toggle",
    ),
    what: fc.nat({ max: 60 }),
  }),
  { maxLength: 60, size: "max" },
);

/** Steps the engine through the deeds, waking it whenever it asked to be. */
function play(
  story: readonly Deed[],
  seen: (state: ObjectState, history: readonly HistoryEntry[], nowMs: number) => void,
) {
  const history: HistoryEntry[] = [];
  let [state, nowMs, dueMs] = [newState(0), 1_000, Infinity];
  const send = (input: ObjectInput): void => {
    const outcome = step({ plan: plan as ObjectPlan, objectContext: defaultObjectContext, nowMs }, state, input);
    history.push(...outcome.history);
    [state, dueMs] = [outcome.state, outcome.dueMs];
    seen(state, history, nowMs);
  };
  story.forEach((deed, n) => {
    let atMs = nowMs + deed.afterMs;
    while (dueMs <= atMs) {
      nowMs = dueMs;
      send({ kind: "due" });
      // Never in the same millisecond as what time has just done: no record tells which of them was first.
      if (nowMs === atMs) atMs += 1;
    }
    nowMs = atMs;
    send(inputOf(deed, nowMs, n));
  });
}

/** What the fold says of a state; the output is that of the last change, so it is compared apart. */
const foldable = (state: ObjectState): Omit<FoldedState, "output"> => ({
  status: statusOf(state.phase),
  stateType: stateTypeOf(state.phase),
  attempt: attemptOf(state.phase, maxAttemptsOf(plan)),
  lastHardStatus: state.lastHardStatus,
  lastChangeAtMs: state.lastChangeAtMs,
  lastHardChangeAtMs: state.lastHardChangeAtMs,
  flapping: state.flap.flapping,
  acknowledgement: state.acknowledgement,
  downtimes: state.downtimes,
  comments: state.comments,
  toggles: state.toggles,
});

test("[TM1] the history of an object, folded, is its state, after every step", () => {
  fc.assert(
    fc.property(deeds, (story) =>
      play(story, (state, history, nowMs) => {
        const { output: _, ...folded } = foldHistory(history, nowMs);
        assert.deepEqual(folded, foldable(state));
      }),
    ),
    { numRuns: 300 },
  );
});

test("[TM1] what was recorded may be folded in pieces", () => {
  fc.assert(
    fc.property(deeds, fc.nat({ max: 60 }), (story, cut) => {
      let [all, last]: [readonly HistoryEntry[], number] = [[], 0];
      play(story, (_, history, nowMs) => {
        [all, last] = [[...history], nowMs];
      });
      const first = all.slice(0, cut);
      const half = foldHistory(first, first.at(-1)?.atMs ?? 0);
      assert.deepEqual(foldHistory(all.slice(cut), last, half), foldHistory(all, last));
    }),
    { numRuns: 100 },
  );
});
