import type { DependencyStatus } from "@realmwatch/shared/api/probe-pages";
import { describeCheckCommand } from "@realmwatch/shared/config/describe-check-command";
import { isChecked, type RealmPlan } from "@realmwatch/shared/config/plan";
import type { AuditLog } from "@realmwatch/shared/model/audit";
import { formatKey, type ObjectKey, refOf } from "@realmwatch/shared/model/object-key";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import type { AlertIntake } from "../alerts/alert-intake.ts";
import type { CommandExecutor } from "../api/command-executor.ts";
import { configChanges } from "../api/config-changes.ts";
import type { ConfigExecutor } from "../api/config-executor.ts";
import type { Journal } from "../journal/journal.ts";
import type { MetricRecording } from "../metric-recording.ts";
import type { PairControl } from "../pair/pair-control.ts";
import type { EngineFunctions } from "../port/port-contract.ts";
import type { ActiveConfiguration } from "../realm/reload/active-configuration.ts";
import type { RealmReader } from "../realm/state/realm-reader.ts";

type EngineFunctionsOptions = {
  readonly realm: Pick<RealmReader, "plan" | "records">;
  readonly commands: Pick<CommandExecutor, "execute">;
  readonly configs: Pick<ConfigExecutor, "apply">;
  readonly configuration: Pick<ActiveConfiguration, "validate" | "document">;
  readonly alerts: Pick<AlertIntake, "submit">;
  readonly audit: AuditLog;
  readonly journal: Pick<Journal, "noteDamagedRecord">;
  readonly recording: Pick<MetricRecording, "store">;
  readonly metrics: Pick<Metrics, "render">;
  dependencies(readError: string): readonly DependencyStatus[];
  readonly control?: PairControl | undefined;
};

/** Functions of the engine that the port calls. */
export const engineFunctions = (options: EngineFunctionsOptions): EngineFunctions => ({
  executeCommand: (call) => options.commands.execute(call),
  async validateConfig(cue, listChanges) {
    const plan = await options.configuration.validate(cue);
    return plan.ok ? ok(listChanges ? configChanges(options.realm, plan.value) : {}) : plan;
  },
  applyConfig: (call) => options.configs.apply(call),
  servedDocument: () => options.configuration.document(),
  checkCommand: (key) => checkCommandOf(options.realm.plan, key),
  submitAlerts: (alerts, by, audit) => options.alerts.submit(alerts, by, audit),
  recordAudit: (record) => options.audit.add(record),
  noteDamagedRecord: (what) => options.journal.noteDamagedRecord(what),
  recordedMetrics: (ref) => options.recording.store()?.metricsOf(ref),
  recordedPoints: (query) => options.recording.store()?.points(query),
  renderMetrics: async () => (await options.metrics.render()).text,
  dependencies: options.dependencies,
  ...pairFunctions(() => options.control),
});

export const pairFunctions = (
  control: () => PairControl | undefined,
): Pick<EngineFunctions, "pairStatus" | "switchPair" | "promotePair" | "followPair"> => ({
  pairStatus: () => control()?.status(),
  switchPair: async (by) => (await control()?.switch(by)) ?? fail("no pair"),
  promotePair: async (by, force) => (await control()?.promote(by, force)) ?? fail("no pair"),
  followPair: async (frame) => (await control()?.follow(frame)) ?? fail("no pair"),
});

/** [QS10] Check command of an object as text. */
function checkCommandOf({ objects, commands }: RealmPlan, key: ObjectKey): Result<string, Refusal> {
  const plan = objects.get(refOf(key));
  if (plan === undefined) return fail({ kind: "missing", what: formatKey(key) });
  if (!isChecked(plan)) return ok("");
  const owner = "host" in plan ? objects.get(plan.host) : plan;
  const host = owner !== undefined && "children" in owner ? owner : undefined;
  return ok(describeCheckCommand({ plan, host, commands }));
}
