import type { HostPlan, RealmPlan } from "@realmwatch/shared/config/plan";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Outcome } from "@realmwatch/shared/model/outcome";
import type { CheckResult } from "../../engine/input.ts";
import { hostPlanOf, macroValues } from "../outputs/macro-values.ts";
import type { ReadonlyRecord, RealmReader } from "../state/realm-reader.ts";
import type { ScheduledPlan } from "./check-times.ts";
import type { SchedulerOptions } from "./scheduler.ts";

/** Outcome of a check with its execution time. */
export type TimedOutcome = Outcome & {
  readonly executionMs: number;
  /** Name of the worker that ran the check; undefined for the agent itself. */
  readonly source?: string;
  /** Time that the check waited for a worker, ms. Part of its latency. Default: 0. */
  readonly waitedMs?: number;
};

/** Runs one check. Never rejects, and resolves after the check's timeout at the latest. */
export type RunCheck = (
  plan: ScheduledPlan,
  /**
   * `realm`: the running plan. `host`: the checked host, or that of the service. `macro`: returns the value of a macro
   * that depends on state. `signal`: interrupts the check.
   */
  target: {
    readonly realm: RealmPlan;
    readonly host: HostPlan;
    readonly signal?: AbortSignal;
    macro(name: string): string | undefined;
  },
) => Promise<TimedOutcome>;

export type CheckStarterOptions = {
  readonly clock: Clock;
  readonly realm: RealmReader;
  readonly run: RunCheck;
  /** Zones whose checks run in this process. */
  readonly zones: ReadonlySet<string>;
  /** Runs the checks of all other zones. */
  readonly runElsewhere?: RunCheck | undefined;
  /** Name of the realm or host that runs the checks, shown as their source. */
  readonly source: string;
  /** Receives the result of each check. */
  submitResult(ref: string, result: CheckResult): void;
  /** Called when a check has ended, for metrics. */
  ended(type: string, outcome: Outcome, timing: { readonly latencyMs: number; readonly executionMs: number }): void;
};

/**
 * Returns the function with which the scheduler starts checks: it runs one, calls `finished` to free its slot, and then
 * submits its result.
 */
export function checkStarter(options: CheckStarterOptions): SchedulerOptions["start"] {
  const { clock, realm, run, zones, runElsewhere = refuseZone } = options;
  const startCheck: SchedulerOptions["start"] = async (plan, latencyMs, finished) => {
    const record = realm.records.get(plan.ref);
    const host = record === undefined ? undefined : hostPlanOf(realm, record);
    const startedAtMs = clock.now();
    const found =
      record === undefined || host === undefined
        ? unknownOutcome("the object was removed")
        : await (zones.has(plan.about.zone) ? run : runElsewhere)(plan, {
            realm: realm.plan,
            host,
            macro: macroReader(realm, record, startedAtMs),
          });
    const { waitedMs = 0, source = options.source, executionMs, ...outcome } = found;
    const timing = { latencyMs: latencyMs + waitedMs, executionMs };
    options.ended(plan.check.type, outcome, timing);
    finished();
    const executedAtMs = startedAtMs + Math.floor(waitedMs);
    options.submitResult(plan.ref, { ...outcome, ...timing, executedAtMs, source, origin: "active" });
  };
  return startCheck;
}

const refuseZone: RunCheck = async ({ about }) =>
  unknownOutcome(
    `nothing runs the checks of zone ${JSON.stringify(about.zone)}: the agent was started without -nats-url`,
  );

/** Computes the macro values on first use, because most checks have no macros. */
function macroReader(realm: RealmReader, record: ReadonlyRecord, nowMs: number): (name: string) => string | undefined {
  let values: Readonly<Record<string, string>> | undefined;
  return (name) => {
    values ??= macroValues(realm, record, nowMs);
    return values[name];
  };
}

const unknownOutcome = (output: string): TimedOutcome => ({
  status: "unknown",
  output,
  longOutput: "",
  perfdata: [],
  executionMs: 0,
});
