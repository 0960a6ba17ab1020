import { diffSections, lookOf, type ObjectChange, type PlanDiff } from "@realmwatch/shared/config/diff/diff-plans";
import type { ObjectPlan, RealmPlan } from "@realmwatch/shared/config/plan";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { isProblem } from "@realmwatch/shared/model/status";
import { statusOf } from "../../engine/state/attempts.ts";
import { hasOpenProblem } from "../../engine/notify/open-problem.ts";
import { updateRecurringDowntimes } from "../../engine/downtimes/recurring-downtimes.ts";
import { applyCheckChange } from "./check-change.ts";
import { reconcileProgram } from "../state/program-toggles.ts";
import type { ObjectRecord, ObjectSwap } from "../state/object-record.ts";
import type { RealmState } from "../state/realm-state.ts";
import type { Scheduler } from "../schedule/scheduler.ts";
import { scheduledPlanOf } from "../schedule/check-times.ts";

/** What a swap changed; the loop keeps it, tells it and looks at it again. */
export type PlanSwapResult = PlanDiff & {
  /** What history says of switches of the realm that the plan overrules. */
  readonly overruled: readonly HistoryEntry[];
  /** The removed objects as they were last. */
  readonly gone: readonly ObjectRecord[];
  /** Objects whose recurring downtimes are others now. */
  readonly resettle: readonly string[];
  /** Objects with a problem on which a dependency has or had a say. */
  readonly covered: readonly string[];
  /** Objects of which there may be something to tell: the policy may be another one. */
  readonly open: readonly string[];
  /** Processes, whose rule may read other objects now. */
  readonly processes: readonly string[];
};

/** The thread is given back to others after so long, ms. */
const sliceMs = 8;

/** Brings the schedule of one object in line with its new definition. */
function reschedule(
  scheduler: Scheduler,
  record: ObjectRecord,
  { change, nowMs }: { readonly change: ObjectChange | undefined; readonly nowMs: number },
): void {
  const { plan, state } = record;
  const [now, then] = [scheduledPlanOf(plan), change === undefined ? undefined : scheduledPlanOf(change.before)];
  if (now === undefined) {
    if (then !== undefined) scheduler.remove(plan.ref);
    if (change?.check) record.state = applyCheckChange(plan, state, nowMs);
  } else if (then === undefined) {
    record.state = { ...state, ...scheduler.add(now, undefined) };
  } else {
    scheduler.redefine(now);
    const nextCheckAtMs = change?.check ? scheduler.hasten(plan.ref) : undefined;
    if (nextCheckAtMs !== undefined) record.state = { ...state, nextCheckAtMs };
  }
}

/**
 * [RL1-RL3] Makes `plan` the running one. What did not change keeps its schedule and loses no check; what is
 * new is scheduled; what is gone is forgotten. Runs between rounds of the loop and gives the thread back
 * every few ms.
 */
export async function swapPlan(
  plan: RealmPlan,
  { realm, scheduler, clock }: { realm: RealmState; scheduler: Scheduler; clock: Clock },
): Promise<PlanSwapResult> {
  const [before, added, gone, changed] = [realm.plan, [] as ObjectPlan[], [] as ObjectRecord[], [] as ObjectChange[]];
  const { dependencies: dependenciesBefore } = realm;
  const [resettle, covered] = [[] as string[], [] as string[]];
  const [open, processes] = [[] as string[], [] as string[]];
  const nowMs = clock.now();
  /** [RL6] What surrounds the object may be another thing though its own definition is the same. */
  const lookAround = ({ plan: { ref, key }, state }: ObjectRecord): void => {
    if (key.kind === "process") processes.push(ref);
    if (hasOpenProblem(state)) open.push(ref);
    if (updateRecurringDowntimes(state.downtimes, realm.recurringWindows.of(ref, nowMs)) !== state.downtimes) resettle.push(ref);
    const depends = dependenciesBefore.hasAny(ref) || realm.dependencies.hasAny(ref);
    if (depends && isProblem(statusOf(state.phase))) covered.push(ref);
  };
  const take = (swap: ObjectSwap): void => {
    if (swap.kind === "removed") {
      scheduler.remove(swap.record.plan.ref);
      gone.push(swap.record);
      return;
    }
    const { record } = swap;
    lookAround(record);
    if (swap.kind === "kept") {
      const object = scheduledPlanOf(record.plan);
      if (object !== undefined) scheduler.redefine(object);
    } else if (swap.kind === "added") {
      reschedule(scheduler, record, { change: undefined, nowMs });
      added.push(record.plan);
    } else {
      const check = lookOf(swap.before, before) !== lookOf(record.plan, plan);
      const change = { before: swap.before, after: record.plan, check };
      reschedule(scheduler, record, { change, nowMs });
      changed.push(change);
    }
  };
  let breathAt = clock.monotonic() + sliceMs;
  for (const swap of realm.replacePlan(plan, nowMs)) {
    take(swap);
    if (clock.monotonic() < breathAt) continue;
    await new Promise<void>((go) => clock.after(0, go));
    breathAt = clock.monotonic() + sliceMs;
  }
  const { program, history: overruled } = reconcileProgram(realm.program, plan, nowMs);
  realm.program = program;
  return {
    before,
    after: plan,
    overruled,
    added,
    removed: gone.map((record) => record.plan),
    gone,
    changed,
    sections: diffSections(before, plan),
    resettle,
    covered,
    open,
    processes,
  };
}
