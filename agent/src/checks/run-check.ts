import type { HostPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import { type Outcome, outcome } from "@realmwatch/shared/model/outcome";
import type { CheckDependencies, CheckEnvironment, CheckOutcome } from "./check-type.ts";
import { checkTypeOf } from "./check-types.ts";
import { timeoutOutcome } from "./judge/timeout-outcome.ts";

/** Outcome of a check and its execution time, ms; `timedOut` when its timeout ended it. */
export type CheckRun = Outcome & { readonly executionMs: number; readonly timedOut?: true };

/** Abort reason of a check's signal. A string, because the default reason is an error with a stack trace. */
const checkEnded = "the check has ended";

/**
 * Runs the check of `plan` once. Resolves at the latest when the timeout has passed, even if the check hangs. For
 * programs the timeout begins at their start, so that time spent waiting for a free slot does not count. Never rejects.
 */
export async function runCheck(
  plan: HostPlan | ServicePlan,
  environment: CheckEnvironment,
  dependencies: CheckDependencies,
): Promise<CheckRun> {
  const { check, schedule } = plan;
  const startedMs = dependencies.clock.monotonic();
  const found = await run();
  return { ...found, executionMs: found.executionMs ?? dependencies.clock.monotonic() - startedMs };

  function run(): Promise<CheckOutcome> {
    if (check.type === "passive") return Promise.resolve(outcome("unknown", "a passive check cannot be run"));
    const { type, onTimeout, run } = checkTypeOf(check);
    const { timeoutMs } = schedule;
    const ending = new AbortController();
    return new Promise((resolve) => {
      const cancelDeadline =
        onTimeout === "own"
          ? () => {}
          : dependencies.clock.after(timeoutMs, () => settle(timeoutOutcome(onTimeout, type, timeoutMs)));
      const stop = (): void => settle(outcome("unknown", `${type} check was interrupted`));
      environment.signal?.addEventListener("abort", stop, { once: true });
      if (environment.signal?.aborted) return stop();
      run(check, { ...environment, plan, timeoutMs }, dependencies, ending.signal).then(settle, (error: unknown) =>
        // A bug in the check type: it must not stop further checks of the object.
        settle(outcome("unknown", `${type} check failed: ${error instanceof Error ? error.name : "error"}`)),
      );

      function settle(result: CheckOutcome): void {
        cancelDeadline();
        environment.signal?.removeEventListener("abort", stop);
        resolve(result);
        ending.abort(checkEnded);
      }
    });
  }
}
