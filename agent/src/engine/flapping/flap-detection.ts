import type { ObjectPlan } from "@realmwatch/shared/config/plan";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import type { Status } from "@realmwatch/shared/model/status";
import { notFlapping, type FlapState, updateFlap, minFlapRate } from "./flapping.ts";
import type { ObjectContext } from "../object-context.ts";
import type { ObjectState } from "../state/object-state.ts";

/** [TG1] Whether anybody counts the changes of this object. */
export const isFlapDetectionOn = (plan: ObjectPlan, state: Pick<ObjectState, "toggles">, objectContext: ObjectContext): boolean =>
  plan.flap.enabled && objectContext.flapDetectionOn && state.toggles.flapDetection;

/** What one result says; `rawStatus` before a host's was translated by its parents. */
type Sample = { readonly status: Status; readonly rawStatus: Status; readonly objectContext: ObjectContext };

/** [FL1] Every result is a sample, save the first and those taken while nothing can be judged. */
export function nextFlap(plan: ObjectPlan, state: ObjectState, { status, rawStatus, objectContext }: Sample): FlapState {
  if (!isFlapDetectionOn(plan, state, objectContext)) return notFlapping;
  const unreliable = objectContext.hostDown || (plan.key.kind === "host" && status === "unreachable");
  if (state.last === undefined || unreliable) return state.flap;
  return updateFlap(state.flap, rawStatus !== state.last.rawStatus, plan.flap);
}

/** What history says of it. Flapping that was forgotten because nobody watches any more has no end to tell. */
export function flapHistory(
  plan: ObjectPlan,
  { before, after, status, nowMs }: { before: FlapState; after: FlapState; status: Status; nowMs: number },
): readonly HistoryEntry[] {
  if (before.flapping === after.flapping || after === notFlapping) return [];
  return [{ atMs: nowMs, type: after.flapping ? "flapping_start" : "flapping_stop", key: plan.key, status }];
}

/** How long a process has to stay as it is for one stable sample: as long as objects usually wait for a check. ms */
const stableSampleMs = 60_000;

/** When a process that stays as it is has its next sample; Infinity where there is nothing left to calm. */
export function nextStableSampleMs(plan: ObjectPlan, state: ObjectState, objectContext: ObjectContext): number {
  const restless = plan.key.kind === "process" && state.flap.value > minFlapRate && isFlapDetectionOn(plan, state, objectContext);
  return restless ? state.freshFromMs + stableSampleMs : Number.POSITIVE_INFINITY;
}

/**
 * [FL4] A process has results only when something changes: without samples of the quiet between them, a few
 * changes in a year would make it flap for ever. The state after the quiet until `nowMs`.
 */
export function addStableSamples(plan: ObjectPlan, state: ObjectState, nowMs: number): ObjectState {
  let { flap, freshFromMs } = state;
  for (; freshFromMs + stableSampleMs <= nowMs && flap.value > minFlapRate; freshFromMs += stableSampleMs)
    flap = updateFlap(flap, false, plan.flap);
  return { ...state, flap, freshFromMs };
}
