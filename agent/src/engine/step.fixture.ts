import type { ObjectPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import type { CheckResult, ObjectInput } from "./input.ts";
import type { ObjectContext } from "./object-context.ts";
import { httpService } from "./plans.fixture.ts";
import { newState, type ObjectState } from "./state/object-state.ts";
import { step } from "./step.ts";
import { defaultObjectContext } from "./object-context.fixture.ts";

export const httpServicePlan = httpService as ServicePlan;
export const annAuthor = { author: "ann", onBehalfOf: "" };

/** What an active check found at an instant. */
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

/** Steps an object through a story; `nowMs` is what each line says. */
export function objectScenario(plan: ObjectPlan = httpServicePlan, objectContext: Partial<ObjectContext> = {}) {
  let state: ObjectState = newState(0);
  let dueMs = Number.POSITIVE_INFINITY;
  const told: string[] = [];
  const asked: string[] = [];
  const send = (nowMs: number, input: ObjectInput, now: Partial<ObjectContext> = {}): ObjectState => {
    const outcome = step({ plan, objectContext: { ...defaultObjectContext, ...objectContext, ...now }, nowMs }, state, input);
    state = outcome.state;
    dueMs = outcome.dueMs;
    told.push(...outcome.history.map((entry) => entry.type));
    asked.push(...outcome.followUps.map((followUp) => followUp.kind));
    return state;
  };
  const result = (
    nowMs: number,
    status: CheckResult["status"],
    more: Partial<CheckResult> = {},
    now: Partial<ObjectContext> = {},
  ) => send(nowMs, { kind: "result", result: resultAt(nowMs, status, more) }, now);
  return { send, result, told, asked, state: () => state, dueMs: () => dueMs };
}
