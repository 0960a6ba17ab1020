import type { HostPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import { type Outcome, outcome } from "@realmwatch/shared/model/outcome";
import type { CheckDependencies, CheckEnvironment, CheckOutcome } from "./check-type.ts";
import { checkTypeOf } from "./check-types.ts";
import { timeoutOutput } from "./judge/timeout-output.ts";

/** An outcome and how long the check ran, ms. */
export type CheckRun = Outcome & { readonly executionMs: number };

/** Why a check's signal aborts. A text: the error that stands in for a missing reason costs a stack trace each. */
const over = "the check is over";

/**
 * Runs the check of `plan` once. Answers at the latest when its timeout has passed, whatever the check does; programs
 * have their timeout from their start, so that waiting for a free place is no part of it. Never rejects.
 */
export async function runCheck(
  plan: HostPlan | ServicePlan,
  surroundings: CheckEnvironment,
  tools: CheckDependencies,
): Promise<CheckRun> {
  const { check, schedule } = plan;
  const startedMs = tools.clock.monotonic();
  const found = await run();
  return { ...found, executionMs: found.executionMs ?? tools.clock.monotonic() - startedMs };

  function run(): Promise<CheckOutcome> {
    if (check.type === "passive") return Promise.resolve(outcome("unknown", "a passive check is never run"));
    const { type, onTimeout, run } = checkTypeOf(check);
    const { timeoutMs } = schedule;
    const ending = new AbortController();
    return new Promise((resolve) => {
      const cancelDeadline =
        onTimeout === "own"
          ? () => {}
          : tools.clock.after(timeoutMs, () => settle(outcome(onTimeout, timeoutOutput(type, timeoutMs))));
      const stop = (): void => settle(outcome("unknown", `${type} check was interrupted`));
      surroundings.signal?.addEventListener("abort", stop, { once: true });
      if (surroundings.signal?.aborted) return stop();
      run(check, { ...surroundings, plan, timeoutMs }, tools, ending.signal).then(settle, (error: unknown) =>
        // A bug of ours. The object must not stand still because of it.
        settle(outcome("unknown", `${type} check failed: ${error instanceof Error ? error.name : "error"}`)),
      );

      function settle(result: CheckOutcome): void {
        cancelDeadline();
        surroundings.signal?.removeEventListener("abort", stop);
        resolve(result);
        ending.abort(over);
      }
    });
  }
}
