import { isChecked, type ObjectPlan } from "@realmwatch/shared/config/plan";
import { isProblem, type ProblemStatus, type StateType, type Status } from "@realmwatch/shared/model/status";

/** Soft or hard state of an object. `attempt` counts from 1 while a problem is soft. */
export type Phase =
  | { readonly kind: "pending" | "ok" }
  | { readonly kind: "soft"; readonly status: ProblemStatus; readonly attempt: number }
  | { readonly kind: "hard"; readonly status: ProblemStatus };

/**
 * [ST1-ST7] The phase after one result.
 *
 * @param maxAttempts number of results that confirm a problem, at least 1
 * @param confirmed   true makes a problem hard with its first result, because the host is down
 */
export function nextPhase(phase: Phase, status: Status, maxAttempts: number, confirmed = false): Phase {
  if (status === "pending") return phase;
  if (!isProblem(status)) return { kind: "ok" };
  if (phase.kind === "hard") return phase.status === status ? phase : { kind: "hard", status };
  const attempt = phase.kind === "soft" ? phase.attempt + 1 : 1;
  return confirmed || attempt >= maxAttempts ? { kind: "hard", status } : { kind: "soft", status, attempt };
}

export const statusOf = (phase: Phase): Status =>
  phase.kind === "soft" || phase.kind === "hard" ? phase.status : phase.kind;

export const stateTypeOf = (phase: Phase): StateType => (phase.kind === "soft" ? "soft" : "hard");

/** Attempt as lists show it: 1 without a problem, `maxAttempts` in a hard problem, never more than `maxAttempts`. */
export function attemptOf(phase: Phase, maxAttempts: number): number {
  if (phase.kind === "soft") return Math.min(phase.attempt, maxAttempts);
  return phase.kind === "hard" ? maxAttempts : 1;
}

export const samePhase = (a: Phase, b: Phase): boolean =>
  statusOf(a) === statusOf(b) && attemptOf(a, Infinity) === attemptOf(b, Infinity) && a.kind === b.kind;

/** Number of results that confirm a problem of the object; 1 for a process. */
export const maxAttemptsOf = (plan: ObjectPlan): number => (isChecked(plan) ? plan.schedule.maxAttempts : 1);
