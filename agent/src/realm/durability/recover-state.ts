import { isChecked, type RealmPlan } from "@realmwatch/shared/config/plan";
import { showObjectChanges } from "@realmwatch/shared/config/show-plan-diff";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import type { ObjectState } from "../../engine/state/object-state.ts";
import { removedRecord, hashCheckDefinition, type JournaledObject } from "./stored-object.ts";
import { applyCheckChange } from "../reload/check-change.ts";
import { reconcileProgram } from "../state/program-toggles.ts";
import { newProgramState, type ProgramState } from "../state/program-state.ts";
import type { ObjectRecord } from "../state/object-record.ts";
import { configHistoryEntry } from "../reload/reload-rounds.ts";

/** What a journal gives back, as far as the state goes. */
export type StoredState = {
  readonly states: ReadonlyMap<string, JournaledObject>;
  readonly program: string | undefined;
};

export type Recovery = {
  readonly program: ProgramState;
  readonly states: ReadonlyMap<string, ObjectState>;
  /** Kept, but no longer in the plan. */
  readonly gone: readonly ObjectRecord[];
  /** Objects that are looked at differently now. */
  readonly changed: readonly string[];
  /** What history says of it, where the document is another one than the one before. */
  readonly history: readonly HistoryEntry[];
};

/**
 * [FR3] Silence while the agent was down is not the sender's fault: where the outage was longer than half the
 * threshold, what counts is how long nothing came since the start.
 */
function forgiveSilence(
  state: ObjectState,
  thresholdMs: number,
  { downMs, nowMs }: { downMs: number; nowMs: number },
): ObjectState {
  return downMs > thresholdMs / 2 ? { ...state, freshFromMs: nowMs } : state;
}

const reviveProgram = (json: string | undefined, nowMs: number): ProgramState => ({
  ...newProgramState(nowMs),
  ...(json === undefined ? {} : (JSON.parse(json) as ProgramState)),
});

/** [RL9] Makes the state to start from of what was kept and what is configured now, and says what that changes. */
export function recoverState(kept: StoredState, plan: RealmPlan, nowMs: number): Recovery {
  const { program, history: overruled } = reconcileProgram(reviveProgram(kept.program, nowMs), plan, nowMs);
  const downMs = Math.max(0, nowMs - program.aliveAtMs);
  const states = new Map<string, ObjectState>();
  const gone: ObjectRecord[] = [];
  const changed: string[] = [];
  for (const [ref, { state, definition }] of kept.states) {
    const object = plan.objects.get(ref);
    if (object === undefined) {
      gone.push(removedRecord(ref, { state, definition }));
      continue;
    }
    if (definition !== undefined && definition.look !== hashCheckDefinition(object, plan)) {
      changed.push(ref);
      states.set(ref, applyCheckChange(object, state, nowMs));
      continue;
    }
    const passive = isChecked(object) && object.check.type === "passive" ? object.check : undefined;
    states.set(
      ref,
      passive === undefined ? state : forgiveSilence(state, passive.freshnessThresholdMs, { downMs, nowMs }),
    );
  }
  const another = gone.length > 0 || (program.configHash !== "" && program.configHash !== plan.hash);
  if (!another) return { program, states, gone, changed, history: overruled };
  const removed = gone.map((record) => record.plan);
  const news = ["started with another document", ...showObjectChanges(removed, changed.length)].join(", ");
  return { program, states, gone, changed, history: [configHistoryEntry(news, nowMs), ...overruled] };
}
