import type { DocumentPath } from "../../text/document-path.ts";
import type { CheckCompiler } from "../check-kinds/check-kind.ts";
import { type CheckDocument, type CheckSpec, checkKinds } from "../check-kinds/check-kinds.ts";
import type { FlapPlan, SchedulePlan } from "../check-spec.ts";
import type { FlapDocument } from "../schema/flap.ts";
import { validateCall } from "./compile-commands.ts";
import { type CompileContext, reportProblem, requireDeclared } from "./compile-context.ts";

/** Compiles a check; problems are reported, and the returned spec is not used then. */
export function compileCheck(check: CheckDocument, path: DocumentPath, c: CompileContext): CheckSpec {
  // The map pairs each type with its document, which the compiler cannot follow through an index.
  const compile = checkKinds[check.type].compile as (
    ...args: [CheckDocument, DocumentPath, CheckCompiler]
  ) => CheckSpec;
  return compile(check, path, {
    report: (at, predicate, more) => reportProblem(c, at, predicate, more),
    validateCall: (call, at) => validateCall(c, call, at),
  });
}

export function compileSchedule(check: CheckDocument, path: DocumentPath, c: CompileContext): SchedulePlan {
  requireDeclared(c, "timeperiods", check.check_period, [...path, "check_period"]);
  return {
    checkIntervalMs: check.check_interval,
    retryIntervalMs: check.retry_interval,
    timeoutMs: check.timeout,
    maxAttempts: check.max_attempts,
    checkPeriod: check.check_period,
  };
}

export function compileFlap(flap: FlapDocument, path: DocumentPath, c: CompileContext): FlapPlan {
  const { low_threshold: lowThreshold, high_threshold: highThreshold } = flap;
  if (lowThreshold > highThreshold) {
    const conflicts = [[...path, "high_threshold"]];
    reportProblem(c, [...path, "low_threshold"], `must be at most high_threshold: ${lowThreshold} > ${highThreshold}`, {
      conflicts,
    });
  }
  const { enabled, alpha, notify_on_flap_stop: notifyOnFlapStop } = flap;
  return { enabled, alpha, lowThreshold, highThreshold, notifyOnFlapStop };
}
