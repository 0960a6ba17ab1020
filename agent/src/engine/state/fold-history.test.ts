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
import { attemptOf, maxAttemptsOf, newState, type ObjectState, stateTypeOf, statusOf } from "./object-state.ts";

const plan = {
  ...httpService,
  policy: "",
  flap: { ...flapPlan, alpha: 0.3, highThreshold: 0.5, lowThreshold: 0.2 },
} as unknown as ServicePlan;

const by = { author: "ann", onBehalfOf: "" };

type Action = { readonly afterMs: number; readonly kind: string; readonly what: number };

const statuses = ["ok", "warning", "critical", "unknown"] as const;
const switches = ["notifications", "activeChecks", "passiveChecks", "eventHandler", "flapDetection"] as const;

/** Input of an action at `nowMs`. `n` makes ids unique. */
function inputOf({ kind, what }: Action, nowMs: number, n: number): ObjectInput {
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

const actions = fc.array(
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

/** Runs the engine on all actions, with a `due` input whenever one is due. `seen` receives each state. */
function run(
  all: readonly Action[],
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
  all.forEach((action, n) => {
    let atMs = nowMs + action.afterMs;
    while (dueMs <= atMs) {
      nowMs = dueMs;
      send({ kind: "due" });
      // Not in the millisecond of a `due` input: history does not record which of the two came first.
      if (nowMs === atMs) atMs += 1;
    }
    nowMs = atMs;
    send(inputOf(action, nowMs, n));
  });
}

/** Folded form of a state, without the output: that of the fold is the output of the last change. */
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

test("[TM1] the folded history of an object is its state, after every step", () => {
  fc.assert(
    fc.property(actions, (all) =>
      run(all, (state, history, nowMs) => {
        const { output: _, ...folded } = foldHistory(history, nowMs);
        assert.deepEqual(folded, foldable(state));
      }),
    ),
    { numRuns: 300 },
  );
});

test("[TM1] history folded in two parts gives the same state", () => {
  fc.assert(
    fc.property(actions, fc.nat({ max: 60 }), (all, cut) => {
      let [history, last]: [readonly HistoryEntry[], number] = [[], 0];
      run(all, (_, entries, nowMs) => {
        [history, last] = [[...entries], nowMs];
      });
      const first = history.slice(0, cut);
      const half = foldHistory(first, first.at(-1)?.atMs ?? 0);
      assert.deepEqual(foldHistory(history.slice(cut), last, half), foldHistory(history, last));
    }),
    { numRuns: 100 },
  );
});
