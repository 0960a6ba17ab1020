import type { ObjectPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import type { CheckResult, ObjectInput } from "./input.ts";
import { defaultObjectContext } from "./object-context.fixture.ts";
import type { ObjectContext } from "./object-context.ts";
import { httpService } from "./plans.fixture.ts";
import { newState, type ObjectState } from "./state/object-state.ts";
import { step } from "./step.ts";

export const httpServicePlan = httpService as ServicePlan;
export const annAuthor = { author: "ann", onBehalfOf: "" };

/** A result of an active check at `executedAtMs`. */
export const resultAt = (
  executedAtMs: number,
  status: CheckResult["status"],
  more: Partial<CheckResult> = {},
): CheckResult => ({
  status,
  output: status,
  longOutput: "",
  perfdata: [],
  executedAtMs,
  latencyMs: 0,
  executionMs: 1,
  source: "t",
  origin: "active",
  ...more,
});

/** Runs the engine for one object; `nowMs` is the time of each input. */
export function objectScenario(plan: ObjectPlan = httpServicePlan, objectContext: Partial<ObjectContext> = {}) {
  let state: ObjectState = newState(0);
  let dueMs = Number.POSITIVE_INFINITY;
  const history: string[] = [];
  const followUps: string[] = [];
  const send = (nowMs: number, input: ObjectInput, now: Partial<ObjectContext> = {}): ObjectState => {
    const outcome = step(
      { plan, objectContext: { ...defaultObjectContext, ...objectContext, ...now }, nowMs },
      state,
      input,
    );
    state = outcome.state;
    dueMs = outcome.dueMs;
    history.push(...outcome.history.map((entry) => entry.type));
    followUps.push(...outcome.followUps.map((followUp) => followUp.kind));
    return state;
  };
  const result = (
    nowMs: number,
    status: CheckResult["status"],
    more: Partial<CheckResult> = {},
    now: Partial<ObjectContext> = {},
  ) => send(nowMs, { kind: "result", result: resultAt(nowMs, status, more) }, now);
  return { send, result, history, followUps, state: () => state, dueMs: () => dueMs };
}
