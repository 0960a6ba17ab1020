import type { HostPlan } from "@realmwatch/shared/config/plan";
import type { Clock } from "@realmwatch/shared/words/clock";
import type { Outcome } from "@realmwatch/shared/words/outcome";
import { hostPlanOf, macroValues } from "./macro-values.ts";
import type { RealmLoop } from "./realm-loop.ts";
import type { ObjectRecord, RealmState } from "./realm-state.ts";
import type { Scheduled } from "./scheduler.ts";

/** Runs one check to its end; never rejects and always answers, after the check's timeout at the latest. */
export type RunCheck = (
  plan: Scheduled,
  /** The host itself or the service's; `macro` gives the values of macros that are state. */
  where: { readonly host: HostPlan; macro(name: string): string | undefined },
) => Promise<Outcome & { readonly executionMs: number }>;

export type StartCheckOptions = {
  readonly clock: Clock;
  readonly realm: RealmState;
  readonly run: RunCheck;
  /** Zones whose checks run here. */
  readonly zones: ReadonlySet<string>;
  /** Name of the realm or host that checks are done from, shown as their source. */
  readonly source: string;
  readonly loop: () => Pick<RealmLoop, "submitResult">;
  /** Told when a check has ended. */
  ended(type: string, outcome: Outcome, timing: { readonly latencyMs: number; readonly executionMs: number }): void;
};

/** Makes what the scheduler starts checks with: runs one and hands its result to the loop. */
export function checkStarter(options: StartCheckOptions): (plan: Scheduled, latencyMs: number) => void {
  const { clock, realm, run, zones, source, loop } = options;
  const work = async (plan: Scheduled, latencyMs: number): Promise<void> => {
    const record = realm.records.get(plan.ref);
    const host = record === undefined ? undefined : hostPlanOf(realm, record);
    const executedAtMs = clock.now();
    const outcome =
      record === undefined || host === undefined
        ? unknownOutcome("the object is gone")
        : zones.has(plan.about.zone)
          ? await run(plan, { host, macro: macroReader(realm, record, executedAtMs) })
          : unknownOutcome(`no worker of zone ${JSON.stringify(plan.about.zone)} took the check`);
    options.ended(plan.check.type, outcome, { latencyMs, executionMs: outcome.executionMs });
    loop().submitResult(plan.ref, { ...outcome, executedAtMs, latencyMs, source, origin: "active" });
  };
  return (plan, latencyMs) => void work(plan, latencyMs);
}

/** Most checks have no macros: their values are worked out with the first one asked for. */
function macroReader(realm: RealmState, record: ObjectRecord, nowMs: number): (name: string) => string | undefined {
  let values: Readonly<Record<string, string>> | undefined;
  return (name) => {
    values ??= macroValues(realm, record, nowMs);
    return values[name];
  };
}

const unknownOutcome = (output: string): Outcome & { executionMs: number } => ({
  status: "unknown",
  output,
  longOutput: "",
  perfdata: [],
  executionMs: 0,
});
