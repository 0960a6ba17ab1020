import {
  checkSignature,
  diffSections,
  type ObjectChange,
  type PlanDiff,
} from "@realmwatch/shared/config/diff/diff-plans";
import type { ObjectPlan, RealmPlan } from "@realmwatch/shared/config/plan";
import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { isProblem } from "@realmwatch/shared/model/status";
import { updateRecurringDowntimes } from "../../engine/downtimes/recurring-downtimes.ts";
import { hasOpenProblem } from "../../engine/notify/plan-notifications.ts";
import { statusOf } from "../../engine/state/object-state.ts";
import { scheduledPlanOf } from "../schedule/check-times.ts";
import type { Scheduler } from "../schedule/scheduler.ts";
import type { ObjectRecord, ObjectSwap } from "../state/object-record.ts";
import { reconcileProgram } from "../state/program-toggles.ts";
import type { RealmState } from "../state/realm-state.ts";
import { applyCheckChange } from "./check-change.ts";

/** Difference between two plans, and the objects whose state or rows the swap affects. */
export type PlanSwapResult = PlanDiff & {
  /** History entries of realm toggles that the new plan overrules. */
  readonly overruled: readonly HistoryEntry[];
  /** Records of the removed objects at the time of their removal. */
  readonly removedRecords: readonly ObjectRecord[];
  /** Objects whose recurring downtimes changed. */
  readonly downtimesChanged: readonly string[];
  /** Objects whose dependencies changed, and problems with dependencies, so that their suppression may have changed. */
  readonly rowsToRefresh: readonly string[];
  /** Objects with an open problem, whose notification policy may have changed. */
  readonly openProblems: readonly string[];
  /** All processes, whose rules may read other objects now. */
  readonly processes: readonly string[];
};

/** Time after which the swap yields to the event loop, ms. */
const sliceMs = 8;

/** Adjusts the schedule of one object to its new definition. `change` is undefined for an added object. */
function reschedule(
  scheduler: Scheduler,
  record: ObjectRecord,
  { change, nowMs }: { readonly change: ObjectChange | undefined; readonly nowMs: number },
): void {
  const { plan, state } = record;
  const scheduled = scheduledPlanOf(plan);
  const scheduledBefore = change === undefined ? undefined : scheduledPlanOf(change.before);
  if (scheduled === undefined) {
    if (scheduledBefore !== undefined) scheduler.remove(plan.ref);
    if (change?.checkChanged) record.state = applyCheckChange(plan, state, nowMs);
  } else if (scheduledBefore === undefined) {
    record.state = { ...state, ...scheduler.add(scheduled, undefined) };
  } else {
    scheduler.redefine(scheduled);
    const nextCheckAtMs = change?.checkChanged ? scheduler.hasten(plan.ref) : undefined;
    if (nextCheckAtMs !== undefined) record.state = { ...state, nextCheckAtMs };
  }
}

type SwapContext = {
  readonly realm: RealmState;
  readonly scheduler: Scheduler;
  readonly before: RealmPlan;
  readonly dependenciesBefore: RealmState["dependencies"];
  readonly nowMs: number;
};

/** Collects the effects of a swap. */
const newEffects = () => ({
  added: [] as ObjectPlan[],
  changed: [] as ObjectChange[],
  removedRecords: [] as ObjectRecord[],
  downtimesChanged: [] as string[],
  rowsToRefresh: [] as string[],
  openProblems: [] as string[],
  processes: [] as string[],
});
type SwapEffects = ReturnType<typeof newEffects>;

/** [RL6] The context of an object may have changed even if its own definition has not. */
function addContextChanges(
  effects: SwapEffects,
  { plan: { ref, key, about }, state }: ObjectRecord,
  { realm, before, dependenciesBefore, nowMs }: SwapContext,
): void {
  if (key.kind === "process") effects.processes.push(ref);
  if (hasOpenProblem(state)) effects.openProblems.push(ref);
  const windows = realm.recurringWindows.of(ref, nowMs);
  if (updateRecurringDowntimes(state.downtimes, windows) !== state.downtimes) effects.downtimesChanged.push(ref);
  const hasDependencies = dependenciesBefore.hasAny(ref) || realm.dependencies.hasAny(ref);
  const dependedOn = before.objects.get(ref)?.about.dependsOn ?? [];
  const isRowOld = isProblem(statusOf(state.phase)) || dependedOn.join("\n") !== about.dependsOn.join("\n");
  if (hasDependencies && isRowOld) effects.rowsToRefresh.push(ref);
}

/** Adjusts the schedule of one object and adds what the swap of its definition affects. */
function applySwap(effects: SwapEffects, swap: ObjectSwap, context: SwapContext): void {
  const { realm, scheduler, before, nowMs } = context;
  if (swap.kind === "removed") {
    scheduler.remove(swap.record.plan.ref);
    effects.removedRecords.push(swap.record);
    return;
  }
  const { record } = swap;
  addContextChanges(effects, record, context);
  if (swap.kind === "unchanged") {
    const scheduled = scheduledPlanOf(record.plan);
    if (scheduled !== undefined) scheduler.redefine(scheduled);
  } else if (swap.kind === "added") {
    reschedule(scheduler, record, { change: undefined, nowMs });
    effects.added.push(record.plan);
  } else {
    const checkChanged = checkSignature(swap.before, before) !== checkSignature(record.plan, realm.plan);
    const change = { before: swap.before, after: record.plan, checkChanged };
    reschedule(scheduler, record, { change, nowMs });
    effects.changed.push(change);
  }
}

/**
 * [RL1-RL3] Makes `plan` the active one: unchanged objects keep their schedule and miss no check, added ones are
 * scheduled, removed ones are dropped. Runs between rounds of the loop and yields to the event loop every few ms.
 */
export async function swapPlan(
  plan: RealmPlan,
  { realm, scheduler, clock }: { realm: RealmState; scheduler: Scheduler; clock: Clock },
): Promise<PlanSwapResult> {
  const { plan: before, dependencies: dependenciesBefore } = realm;
  const nowMs = clock.now();
  const context = { realm, scheduler, before, dependenciesBefore, nowMs };
  const effects = newEffects();
  let sliceEndsAt = clock.monotonic() + sliceMs;
  for (const swap of realm.replacePlan(plan, nowMs)) {
    applySwap(effects, swap, context);
    if (clock.monotonic() < sliceEndsAt) continue;
    await sleep(clock, 0);
    sliceEndsAt = clock.monotonic() + sliceMs;
  }
  const { program, history: overruled } = reconcileProgram(realm.program, plan, nowMs);
  realm.program = program;
  return {
    ...effects,
    before,
    after: plan,
    overruled,
    removed: effects.removedRecords.map((record) => record.plan),
    sections: diffSections(before, plan),
  };
}
