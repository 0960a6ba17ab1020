import { isProblem, type Status } from "@realmwatch/shared/model/status";
import type { ObservedObject } from "./observed-object.ts";

/** Object as the agent sees it. */
export type ShadowedObject = Pick<ObservedObject, "ref" | "isHard" | "attempt"> & {
  readonly status: Status;
  readonly maxAttempts: number;
  /** Time of the latest result, Unix ms; undefined when there was none. */
  readonly checkedAtMs: number | undefined;
  /** References of the objects that suppress it, such as the parents of an unreachable host. */
  readonly suppressedBy: readonly string[];
};

/** Result to submit to the agent. */
export type ShadowResult = Pick<ObservedObject, "ref" | "executionMs" | "output" | "longOutput" | "perfdata"> & {
  readonly status: Exclude<Status, "pending" | "unreachable">;
  /** Unix ms. */
  readonly executedAtMs: number;
};

/**
 * Results that bring the agent to what the other system has seen, in the order of their times; none when the agent knows
 * as recent a result. The other system keeps the latest result only, but its counters prove earlier ones: a recovery
 * since the agent's result, and one problem result for each attempt.
 */
export function resultsFor(observed: ObservedObject, shadowed: ShadowedObject): ShadowResult[] {
  const { ref, output, longOutput, perfdata, executionMs, checkedAtMs } = observed;
  if (shadowed.checkedAtMs !== undefined && shadowed.checkedAtMs >= checkedAtMs) return [];
  const { status } = observed;
  const latest: ShadowResult = {
    ...{ ref, output, longOutput, perfdata, executionMs },
    status: status === "unreachable" ? "critical" : status,
    executedAtMs: checkedAtMs,
  };
  if (!isProblem(status)) return [latest];
  const recoveredAtMs = recoveryBefore(observed, shadowed);
  const isNew = recoveredAtMs !== undefined || !isProblem(shadowed.status);
  const known = isNew ? 0 : shadowed.attempt;
  const missing = !isNew && shadowed.isHard ? 1 : Math.max(1, observed.attempt - known);
  const repeated = Array.from({ length: missing }, (_, at) => ({
    ...latest,
    executedAtMs: checkedAtMs - (missing - 1 - at),
  }));
  return recoveredAtMs === undefined ? repeated : [recoveryOf(latest, recoveredAtMs), ...repeated];
}

/** Time of a recovery from the problem that the agent knows, before the present problem; undefined without one. */
function recoveryBefore({ lastOkAtMs, checkedAtMs }: ObservedObject, shadowed: ShadowedObject): number | undefined {
  if (!isProblem(shadowed.status) || lastOkAtMs === undefined || lastOkAtMs >= checkedAtMs) return undefined;
  return lastOkAtMs > (shadowed.checkedAtMs ?? 0) ? lastOkAtMs : undefined;
}

const recoveryOf = (latest: ShadowResult, executedAtMs: number): ShadowResult => ({
  ...latest,
  ...{ status: "ok", output: "", longOutput: "", perfdata: "", executedAtMs, executionMs: 0 },
});

/** True when the agent's objects have results as recent as the submitted ones. */
export const hasAll = (objects: ReadonlyMap<string, ShadowedObject>, results: readonly ShadowResult[]): boolean =>
  results.every(({ ref, executedAtMs }) => (objects.get(ref)?.checkedAtMs ?? Number.NEGATIVE_INFINITY) >= executedAtMs);
