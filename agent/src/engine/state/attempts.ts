import { isProblem, type ProblemStatus, type StateType, type Status } from "@realmwatch/shared/model/status";

/** Where an object stands between "all is well" and "confirmed broken". `attempt` counts from 1 and exists only while it is counted. */
export type Phase =
  | { readonly kind: "pending" | "ok" }
  | { readonly kind: "soft"; readonly status: ProblemStatus; readonly attempt: number }
  | { readonly kind: "hard"; readonly status: ProblemStatus };

/**
 * [ST1-ST7] The phase after one result.
 *
 * @param maxAttempts results it takes to confirm a problem, at least 1
 * @param confirmed   true skips the counting: the host is down, so the problem needs no second look
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

/** As lists show it: 1 when all is well, the whole count in a hard problem, never more. */
export function attemptOf(phase: Phase, maxAttempts: number): number {
  if (phase.kind === "soft") return Math.min(phase.attempt, maxAttempts);
  return phase.kind === "hard" ? maxAttempts : 1;
}

export const samePhase = (a: Phase, b: Phase): boolean =>
  statusOf(a) === statusOf(b) && attemptOf(a, Infinity) === attemptOf(b, Infinity) && a.kind === b.kind;
