import type { ObjectPlan } from "@realmwatch/shared/config/plan";
import { isChecked } from "@realmwatch/shared/config/plan";
import type { HistoryEntry } from "@realmwatch/shared/words/history";
import { isProblem, type Status } from "@realmwatch/shared/words/status";
import { survives } from "./acknowledgement.ts";
import { attemptOf, nextPhase, type Phase, samePhase, stateTypeOf, statusOf } from "./attempts.ts";
import { calm, type Flap, foldFlap } from "./flapping.ts";
import type { CheckResult, FollowUp, Surroundings } from "./input.ts";
import { blocks, translateHostStatus } from "./reachability.ts";
import type { ObjectState } from "./state.ts";

export type Stepped = {
  readonly state: ObjectState;
  readonly history: readonly HistoryEntry[];
  readonly followUps: readonly FollowUp[];
};

export const unchanged = (state: ObjectState): Stepped => ({ state, history: [], followUps: [] });

export const maxAttemptsOf = (plan: ObjectPlan): number => (isChecked(plan) ? plan.schedule.maxAttempts : 1);

/** [ST8] Older than what is known, unless what is known claims to be from the future. */
function isOutdated(state: ObjectState, result: CheckResult, nowMs: number): boolean {
  const knownAtMs = state.last?.executedAtMs;
  return knownAtMs !== undefined && result.executedAtMs < knownAtMs && knownAtMs <= nowMs;
}

/** [FL1] Every result is a sample, save the first and those taken while nothing can be judged. */
function nextFlap(state: ObjectState, plan: ObjectPlan, raw: Status, around: Surroundings): Flap {
  if (!(around.flapDetectionOn && state.toggles.flapDetection)) return calm;
  const unreliable = around.hostBlocked || around.parents === "all_down";
  if (state.last === undefined || unreliable) return state.flap;
  return foldFlap(state.flap, raw !== state.last.rawStatus, plan.flap);
}

function stateEntry(plan: ObjectPlan, before: Phase, after: Phase, result: CheckResult, nowMs: number): HistoryEntry {
  return {
    atMs: nowMs,
    type: "state",
    key: plan.key,
    status: statusOf(after),
    previousStatus: statusOf(before),
    stateType: before.kind === "soft" && after.kind === "ok" ? "soft" : stateTypeOf(after),
    attempt: attemptOf(after, maxAttemptsOf(plan)),
    output: result.output,
  };
}

const isBlocking = (phase: Phase): boolean => phase.kind === "hard" && blocks(phase.status);

/** [HS1-HS3] Which other objects are worth a look now, before their turn. */
function looksAround(plan: ObjectPlan, before: Phase, after: Phase, around: Surroundings): FollowUp[] {
  const was = statusOf(before);
  const is = statusOf(after);
  const followUps: FollowUp[] = [];
  const turnedBad = isProblem(is) && (!isProblem(was) || was !== is);
  if (plan.key.kind === "service" && turnedBad && !around.hostBlocked) followUps.push({ kind: "check_host" });
  if (plan.key.kind === "host" && turnedBad) followUps.push({ kind: "check_parents" });
  if (plan.key.kind === "host" && isBlocking(before) !== isBlocking(after)) followUps.push({ kind: "check_children" });
  return followUps;
}

/** One result folded into the state of its object, rule by rule in a fixed order. */
export function applyResult(
  plan: ObjectPlan,
  state: ObjectState,
  { result, around, nowMs }: { result: CheckResult; around: Surroundings; nowMs: number },
): Stepped {
  if (isOutdated(state, result, nowMs)) return unchanged(state);
  const status = plan.key.kind === "host" ? translateHostStatus(result.status, around.parents) : result.status;
  const phase = nextPhase(state.phase, status, maxAttemptsOf(plan), around.hostBlocked);
  const before = statusOf(state.phase);
  const flap = nextFlap(state, plan, result.status, around);
  const history: HistoryEntry[] = [];
  if (!samePhase(state.phase, phase)) history.push(stateEntry(plan, state.phase, phase, result, nowMs));
  if (flap.flapping !== state.flap.flapping)
    history.push({ atMs: nowMs, type: flap.flapping ? "flapping_start" : "flapping_stop", key: plan.key, status });
  const kept = state.acknowledgement !== undefined && survives(state.acknowledgement, before, status);
  if (state.acknowledgement !== undefined && !kept)
    history.push({ atMs: nowMs, type: "acknowledgement_removed", key: plan.key, status });
  const hard = stateTypeOf(phase) === "hard";
  return {
    state: {
      ...state,
      phase,
      flap,
      lastHardStatus: hard ? status : state.lastHardStatus,
      lastChangeAtMs: before === status ? state.lastChangeAtMs : nowMs,
      lastHardChangeAtMs: hard && status !== state.lastHardStatus ? nowMs : state.lastHardChangeAtMs,
      last: {
        output: result.output,
        longOutput: result.longOutput,
        perfdata: result.perfdata,
        executedAtMs: result.executedAtMs,
        latencyMs: result.latencyMs,
        executionMs: result.executionMs,
        source: result.source,
        rawStatus: result.status,
      },
      freshFromMs: nowMs,
      heardAtMs: result.origin === "stale" ? state.heardAtMs : nowMs,
      acknowledgement: kept ? state.acknowledgement : undefined,
    },
    history,
    followUps: looksAround(plan, state.phase, phase, around),
  };
}
