import type { HostPlan } from "@realmwatch/shared/config/plan";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Outcome } from "@realmwatch/shared/model/outcome";
import { hostPlanOf, macroValues } from "../outputs/macro-values.ts";
import type { RealmLoop } from "../loop/realm-loop.ts";
import type { ObjectRecord } from "../state/object-record.ts";
import type { RealmState } from "../state/realm-state.ts";
import type { ScheduledPlan } from "./check-times.ts";

export type TimedOutcome = Outcome & {
  readonly executionMs: number;
  /** Who did it, where that was somebody else. */
  readonly source?: string;
  /** How long nobody took it, ms: part of its lateness. */
  readonly waitedMs?: number;
};

/** Runs one check to its end; never rejects and always answers, after the check's timeout at the latest. */
export type RunCheck = (
  plan: ScheduledPlan,
  /** The host itself or the service's; `macro` gives the values of macros that are state. */
  where: { readonly host: HostPlan; macro(name: string): string | undefined },
) => Promise<TimedOutcome>;

export type CheckStarterOptions = {
  readonly clock: Clock;
  readonly realm: RealmState;
  readonly run: RunCheck;
  /** Zones whose checks run here. */
  readonly zones: ReadonlySet<string>;
  /** Runs checks of all other zones. */
  readonly runElsewhere?: RunCheck | undefined;
  /** Name of the realm or host that checks are done from, shown as their source. */
  readonly source: string;
  readonly loop: () => Pick<RealmLoop, "submitResult">;
  /** The check needs its place no more; its result is on the way. */
  finished(ref: string): void;
  /** Told when a check has ended. */
  ended(type: string, outcome: Outcome, timing: { readonly latencyMs: number; readonly executionMs: number }): void;
};

/** Makes what the scheduler starts checks with: runs one and hands its result to the loop. */
export function checkStarter(options: CheckStarterOptions): (plan: ScheduledPlan, latencyMs: number) => void {
  const { clock, realm, run, zones, runElsewhere = nowhere, loop } = options;
  const work = async (plan: ScheduledPlan, latencyMs: number): Promise<void> => {
    const record = realm.records.get(plan.ref);
    const host = record === undefined ? undefined : hostPlanOf(realm, record);
    const startedAtMs = clock.now();
    const found =
      record === undefined || host === undefined
        ? unknown("the object is gone")
        : await (zones.has(plan.about.zone) ? run : runElsewhere)(plan, {
            host,
            macro: macroReader(realm, record, startedAtMs),
          });
    const { waitedMs = 0, source = options.source, executionMs, ...outcome } = found;
    const timing = { latencyMs: latencyMs + waitedMs, executionMs };
    options.ended(plan.check.type, outcome, timing);
    options.finished(plan.ref);
    const executedAtMs = startedAtMs + Math.floor(waitedMs);
    loop().submitResult(plan.ref, { ...outcome, ...timing, executedAtMs, source, origin: "active" });
  };
  return (plan, latencyMs) => void work(plan, latencyMs);
}

const nowhere: RunCheck = async ({ about }) =>
  unknown(`nothing runs the checks of zone ${JSON.stringify(about.zone)}: the agent was started without -nats-url`);

/** Most checks have no macros: their values are worked out with the first one asked for. */
function macroReader(realm: RealmState, record: ObjectRecord, nowMs: number): (name: string) => string | undefined {
  let values: Readonly<Record<string, string>> | undefined;
  return (name) => {
    values ??= macroValues(realm, record, nowMs);
    return values[name];
  };
}

const unknown = (output: string): TimedOutcome => ({
  status: "unknown",
  output,
  longOutput: "",
  perfdata: [],
  executionMs: 0,
});
