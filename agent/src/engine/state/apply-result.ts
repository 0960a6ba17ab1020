import type { ObjectPlan } from "@realmwatch/shared/config/plan";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { isProblem } from "@realmwatch/shared/model/status";
import { survivesStatusChange } from "../annotations/acknowledgement.ts";
import { flapHistory, nextFlap } from "../flapping/flap-detection.ts";
import type { CheckResult } from "../input.ts";
import type { ObjectContext } from "../object-context.ts";
import { type Transition, unchanged } from "../transition.ts";
import {
  attemptOf,
  maxAttemptsOf,
  nextPhase,
  type ObjectState,
  type Phase,
  samePhase,
  stateTypeOf,
  statusOf,
} from "./object-state.ts";
import { onDemandChecks } from "./on-demand-checks.ts";
import { isDownOrUnreachable, ownHostStatus, translateHostStatus } from "./reachability.ts";

/**
 * [ST8] True for a result older than the stored one, unless the stored one is dated in the future. [FR2] The stored
 * result is the last real one: a stale result does not outdate a real result that was under way.
 */
function isOutdated(state: ObjectState, result: CheckResult, nowMs: number): boolean {
  // The order of acceptance is known, and holds when the member that applies the result has another clock.
  if (result.isUntimed) return false;
  const storedAtMs = state.last?.realAtMs;
  return storedAtMs !== undefined && result.executedAtMs < storedAtMs && storedAtMs <= nowMs;
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

/** Applies one result to the state of its object. An outdated result leaves it unchanged and gives a drop reason. */
export function applyResult(
  plan: ObjectPlan,
  state: ObjectState,
  { result, objectContext, nowMs }: { result: CheckResult; objectContext: ObjectContext; nowMs: number },
): Transition {
  if (isOutdated(state, result, nowMs)) return { ...unchanged(state), dropped: "stale" };
  const rawStatus = plan.key.kind === "host" ? ownHostStatus(result.status) : result.status;
  const status = plan.key.kind === "host" ? translateHostStatus(rawStatus, objectContext.parents) : rawStatus;
  const phase = nextPhase(state.phase, status, maxAttemptsOf(plan), objectContext.hostDown);
  const before = statusOf(state.phase);
  const flap = nextFlap(plan, state, { status, rawStatus, objectContext });
  const history: HistoryEntry[] = [];
  if (!samePhase(state.phase, phase)) history.push(stateEntry(plan, state.phase, phase, result, nowMs));
  history.push(...flapHistory(plan, { before: state.flap, after: flap, status, nowMs }));
  const { acknowledgement } = state;
  const survives = acknowledgement !== undefined && survivesStatusChange(acknowledgement, before, status);
  if (acknowledgement !== undefined && !survives)
    history.push({ atMs: nowMs, type: "acknowledgement_removed", key: plan.key, status, acknowledgement });
  const hard = stateTypeOf(phase) === "hard";
  const heardAtMs = Math.min(result.heardAtMs ?? nowMs, nowMs);
  return {
    state: {
      ...state,
      phase,
      flap,
      lastHardStatus: hard ? status : state.lastHardStatus,
      previousStatus: before,
      lastOkAtMs: before === "ok" && isProblem(status) ? state.last?.executedAtMs : state.lastOkAtMs,
      lastChangeAtMs: before === status ? state.lastChangeAtMs : nowMs,
      lastHardChangeAtMs: hard && status !== state.lastHardStatus ? nowMs : state.lastHardChangeAtMs,
      last: {
        output: result.output,
        longOutput: result.longOutput,
        perfdata: result.perfdata,
        executedAtMs: result.executedAtMs,
        realAtMs: result.origin === "stale" ? state.last?.realAtMs : result.executedAtMs,
        latencyMs: result.latencyMs,
        executionMs: result.executionMs,
        source: result.source,
        rawStatus,
      },
      failingSinceMs: isProblem(status) ? (state.failingSinceMs ?? result.executedAtMs) : undefined,
      freshFromMs: result.heardAtMs === undefined ? nowMs : Math.max(state.freshFromMs, heardAtMs),
      upSinceMs:
        plan.key.kind === "host" && isDownOrUnreachable(before) && !isDownOrUnreachable(status)
          ? Math.min(result.executedAtMs + (result.executionMs ?? 0), nowMs)
          : state.upSinceMs,
      heardAtMs: result.origin === "stale" ? state.heardAtMs : heardAtMs,
      acknowledgement: survives ? acknowledgement : undefined,
    },
    history,
    followUps: onDemandChecks(
      plan,
      { before: state.phase, after: phase, maxAttempts: maxAttemptsOf(plan) },
      objectContext,
    ),
  };
}
