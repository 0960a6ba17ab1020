import { formatObjectChanges } from "@realmwatch/shared/config/diff/format-plan-diff";
import { isChecked, type RealmPlan } from "@realmwatch/shared/config/plan";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import type { ObjectState } from "../../engine/state/object-state.ts";
import { applyCheckChange } from "../reload/check-change.ts";
import { configHistoryEntry } from "../reload/reload-rounds.ts";
import type { ObjectRecord } from "../state/object-record.ts";
import { newProgramState, type ProgramState } from "../state/program-state.ts";
import { reconcileProgram } from "../state/program-toggles.ts";
import { hashCheckDefinition, type JournaledObject, removedRecord } from "./stored-object.ts";

/** State of objects and of the realm as the journal stored it. */
export type StoredState = {
  /** Emptied by `recoverRealm`. */
  readonly states: Map<string, JournaledObject>;
  /** Serialized `ProgramState`; undefined in a new journal. */
  readonly program: string | undefined;
};

/** State to start from, and what the present configuration changed in it. */
export type Recovery = {
  readonly program: ProgramState;
  readonly states: Map<string, ObjectState>;
  /** Stored objects that are not in the configuration any more. */
  readonly removed: readonly ObjectRecord[];
  /** Objects whose check definition differs from the stored one. */
  readonly changed: readonly string[];
  /** History entries about the time without a running agent and about the changed configuration. */
  readonly history: readonly HistoryEntry[];
};

/**
 * [FR3] Excuses missing results during an outage of the agent: if it was longer than half the freshness threshold, the
 * threshold counts from the start.
 */
function excuseOutage(
  state: ObjectState,
  thresholdMs: number,
  { downMs, nowMs }: { downMs: number; nowMs: number },
): ObjectState {
  return downMs > thresholdMs / 2 ? { ...state, freshFromMs: nowMs } : state;
}

const parseProgram = (json: string | undefined, nowMs: number): ProgramState => ({
  ...newProgramState(nowMs),
  ...(json === undefined ? {} : (JSON.parse(json) as ProgramState)),
});

/** Longest time between two members of a pair that is not an outage, ms: a switch takes less. */
const switchMs = 2_000;

/** Time of a start, and the time until which another member of a pair certainly judged; Unix ms. */
type RecoveryTime = { readonly nowMs: number; readonly judgedUntilMs?: number | undefined };

/** [SL9] Record of the time in which no agent ran, from the last sign of life to the start. */
function outageHistory(
  { program, states }: StoredState,
  { aliveAtMs, nowMs, judgedUntilMs }: RecoveryTime & { readonly aliveAtMs: number },
): readonly HistoryEntry[] {
  const gap = { atMs: nowMs, type: "gap" } as const;
  // An agent that was killed within seconds of its first start left no sign of life but its records.
  if (program === undefined)
    return states.size === 0
      ? []
      : [{ ...gap, stoppedAtMs: 0, comment: "no agent of the realm ran before this start" }];
  if (aliveAtMs >= nowMs || (judgedUntilMs !== undefined && nowMs - judgedUntilMs <= switchMs)) return [];
  const stopped = new Date(aliveAtMs).toISOString();
  return [{ ...gap, stoppedAtMs: aliveAtMs, comment: `no agent of the realm ran since ${stopped}` }];
}

/** [RL9] Derives the state to start from from the stored state and the present configuration. */
export function recoverState(stored: StoredState, plan: RealmPlan, time: RecoveryTime): Recovery {
  const { nowMs, judgedUntilMs } = time;
  const { program, history: overruled } = reconcileProgram(parseProgram(stored.program, nowMs), plan, nowMs);
  // The journal's sign of life is up to 30 s old, and of the clock of the member that wrote it.
  const aliveAtMs = judgedUntilMs ?? program.aliveAtMs;
  const downMs = Math.max(0, nowMs - aliveAtMs);
  const outage = outageHistory(stored, { ...time, aliveAtMs });
  const states = new Map<string, ObjectState>();
  const removed: ObjectRecord[] = [];
  const changed: string[] = [];
  for (const [ref, object] of stored.states) {
    const { state, definition } = object;
    const objectPlan = plan.objects.get(ref);
    if (objectPlan === undefined) {
      removed.push(removedRecord(ref, object));
      continue;
    }
    if (definition.look !== hashCheckDefinition(objectPlan, plan)) {
      changed.push(ref);
      states.set(ref, applyCheckChange(objectPlan, state, nowMs));
      continue;
    }
    const passive = isChecked(objectPlan) && objectPlan.check.type === "passive" ? objectPlan.check : undefined;
    states.set(
      ref,
      passive === undefined ? state : excuseOutage(state, passive.freshnessThresholdMs, { downMs, nowMs }),
    );
  }
  const configChanged = removed.length > 0 || (program.configHash !== "" && program.configHash !== plan.hash);
  if (!configChanged) return { program, states, removed, changed, history: [...outage, ...overruled] };
  const removedPlans = removed.map((record) => record.plan);
  const summary = ["started with another document", ...formatObjectChanges(removedPlans, changed.length)].join(", ");
  return { program, states, removed, changed, history: [...outage, configHistoryEntry(summary, nowMs), ...overruled] };
}
