import { isChecked, type RealmPlan } from "@realmwatch/shared/config/plan";
import type { ObjectState } from "../engine/state.ts";
import { newProgram, type ProgramState } from "./realm-state.ts";

/** What a journal gives back, as far as the state goes. */
export type Kept = {
  readonly states: readonly (readonly [ref: string, json: string])[];
  readonly program: string | undefined;
};

export type Recovery = {
  readonly program: ProgramState;
  readonly states: ReadonlyMap<string, Partial<ObjectState>>;
  /** Kept, but no longer in the plan. */
  readonly gone: readonly string[];
};

/**
 * [FR3] Silence while the agent was down is not the sender's fault: where the outage was longer than half the
 * threshold, what counts is how long nothing came since the start.
 */
function forgiveSilence(
  state: Partial<ObjectState>,
  thresholdMs: number,
  { downMs, nowMs }: { downMs: number; nowMs: number },
) {
  return downMs > thresholdMs / 2 ? { ...state, freshFromMs: nowMs } : state;
}

/** Makes the state to start from of what was kept and what is configured now. */
export function recoverState(kept: Kept, plan: RealmPlan, nowMs: number): Recovery {
  const program: ProgramState =
    kept.program === undefined
      ? newProgram(nowMs)
      : { ...newProgram(nowMs), ...(JSON.parse(kept.program) as ProgramState) };
  const downMs = Math.max(0, nowMs - program.aliveAtMs);
  const states = new Map<string, Partial<ObjectState>>();
  const gone: string[] = [];
  for (const [ref, json] of kept.states) {
    const object = plan.objects.get(ref);
    if (object === undefined) {
      gone.push(ref);
      continue;
    }
    const state = JSON.parse(json) as Partial<ObjectState>;
    const passive = isChecked(object) && object.check.type === "passive" ? object.check : undefined;
    states.set(
      ref,
      passive === undefined ? state : forgiveSilence(state, passive.freshnessThresholdMs, { downMs, nowMs }),
    );
  }
  return { program, states, gone };
}
