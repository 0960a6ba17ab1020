import { randomBytes } from "node:crypto";
import type { DependencyStatus } from "@realmwatch/shared/api/probe-pages";
import type { ProgramPorts } from "@realmwatch/shared/api/program-ports";
import { registerAuditCounters } from "@realmwatch/shared/audit/audit-counters";
import { auditGapRecord, auditQueue } from "@realmwatch/shared/audit/audit-queue";
import type { RealmPlan } from "@realmwatch/shared/config/plan";
import type { AuditLog } from "@realmwatch/shared/model/audit";
import type { Clock } from "@realmwatch/shared/model/clock";
import { formatRefusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { resolvedArguments } from "@realmwatch/shared/platform/flags/flags";
import { idGenerator } from "@realmwatch/shared/platform/id-generator";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { type AgentCore, logCutTimeouts } from "./agent-core.ts";
import { AlertIntake } from "./alerts/alert-intake.ts";
import { CommandExecutor } from "./api/command-executor.ts";
import { CommandIntake, countedAudit } from "./api/command-intake.ts";
import { CommandLimits } from "./api/command-limits.ts";
import { configChanges } from "./api/config-changes.ts";
import { ConfigExecutor } from "./api/config-executor.ts";
import { KeyedCalls } from "./api/keyed-calls.ts";
import type { OpenCommandFile } from "./command-file.ts";
import type { Journal } from "./journal/journal.ts";
import { loadLateModules } from "./late-modules.ts";
import type { EngineFunctions } from "./port/port-contract.ts";
import type { ServedAgent } from "./port-host/agent-port-host.ts";
import { checkCommandOf, pairFunctions } from "./port-host/engine-functions.ts";
import { portPlanOf } from "./port-host/port-plan.ts";
import type { ActiveConfiguration } from "./realm/reload/active-configuration.ts";
import type { PlanSwapResult } from "./realm/reload/swap-plan.ts";
import type { RealmReader } from "./realm/state/realm-reader.ts";
import { journalDependency, restoredCopyDependency } from "./recovered-journal.ts";
import { serveConfiguration } from "./served-configuration.ts";
import type { PendingStart, StartInputs } from "./start-inputs.ts";

/** Everything through which requests reach an agent: port, command file, NATS and the configuration. */
export type AgentIntakes = {
  readonly address: Pick<ProgramPorts, "address" | "port" | "url">;
  readonly configuration: ActiveConfiguration;
  /** Number of audit records that are lost: at the last start, or since. */
  auditLost(): number;
  /** Reason why the engine counts as hung; undefined while it runs. */
  livenessError(): string | undefined;
  readonly commandFile: OpenCommandFile;
  readonly alerts: Pick<AlertIntake, "close">;
  /** Writes the audit records that wait; call it last. */
  close(): Promise<void>;
};

/** Time without a round after which the realm loop counts as hung, ms. */
const idleLimitMs = 10_000;

/** Opens the intakes of an agent. Fails with a sentence, and then leaves none of them open. */
export async function openAgentIntakes(
  start: PendingStart,
  inputs: StartInputs,
  core: AgentCore,
): Promise<Result<AgentIntakes, string>> {
  const clock = systemClock;
  const { flags, loader, log, metrics, measured } = start;
  const { document, recovered } = inputs;
  const { open, port, link } = core;
  const { queue: audit, lost, commandJournal } = openAudit(recovered, metrics);
  const intake = new CommandIntake({
    ...{ clock, limits: new CommandLimits(open.realm), inputs: open.inputs, right: start.host?.right },
    journal: commandJournal,
  });
  const configuration = serveConfiguration({
    flags,
    document,
    loader,
    log,
    reloaded: measured.reloaded,
    evaluated: measured.configEvaluated,
    async swap(next) {
      loadLateModules(next, log);
      await logCutTimeouts(start, next);
      return swapPlan(core, next);
    },
    applied: start.host?.documentApplied,
  });
  const commandFile = await commandFileOf(start, { open, intake, audit });
  if (!commandFile.ok) return commandFile;
  const livenessError = (): string | undefined =>
    open.loop.idleMs > idleLimitMs ? "the engine has not run for 10 s" : undefined;
  const opened = await openAlertIntake({ realm: open.realm, intake, journal: recovered.journal, clock, log });
  if (!opened.ok) {
    await commandFile.value.close();
    return opened;
  }
  const alerts = opened.value;
  const engine = engineOf({ start, inputs, core, intake, configuration, alerts, audit, livenessError });
  const address = await port.serve(servedAgent({ start, inputs, core, engine, livenessError }));
  if (!address.ok) {
    await Promise.all([commandFile.value.close(), alerts.close()]);
    return address;
  }
  link?.serveCalls(port);
  return ok({
    address: address.value,
    configuration,
    auditLost: lost,
    livenessError,
    commandFile: commandFile.value,
    alerts,
    close: () => audit.close(),
  });
}

/** Opens the command file that `-command-file` names; without that flag nothing. */
async function commandFileOf(
  { flags, log, metrics, host }: PendingStart,
  to: Pick<Intakes, "intake" | "audit"> & Pick<AgentCore, "open">,
): Promise<Result<OpenCommandFile, string>> {
  const { commandFile: path } = flags;
  if (path === undefined) return ok({ close: async () => {} });
  const { openCommandFile } = await import("./command-file.ts");
  return openCommandFile({ ...to, path, clock: systemClock, log, metrics, right: host?.right });
}

type Started = { readonly start: PendingStart; readonly inputs: StartInputs; readonly core: AgentCore };
type Liveness = Pick<AgentIntakes, "livenessError">;

/** Functions of the engine that the port calls. */
function engineOf(options: Started & Liveness & Intakes): EngineFunctions {
  const { start, inputs, core, livenessError, intake, configuration, alerts, audit } = options;
  const clock = systemClock;
  const { journal, restoredCopy } = inputs.recovered;
  const { open, port, commands, link, recording } = core;
  const { realm } = open;
  const keyedCalls = new KeyedCalls(journal);
  const configs = new ConfigExecutor({ configuration, keyedCalls, journal, clock, right: start.host?.right });
  const executor = new CommandExecutor({
    ...{ realm, intake, keyedCalls, journal, clock, mintId: idGenerator(clock) },
    heldReason: () => link?.publisher.state().heldReason ?? "",
    async whenReadable(seq) {
      await commands.whenApplied(seq);
      await port.flushRows();
    },
  });
  return {
    executeCommand: (call) => executor.execute(call),
    async validateConfig(cue, listChanges) {
      const plan = await configuration.validate(cue);
      return plan.ok ? ok(listChanges ? configChanges(realm, plan.value) : {}) : plan;
    },
    applyConfig: (call) => configs.apply(call),
    servedDocument: async () => ok(await configuration.document()),
    checkCommand: (key) => checkCommandOf(realm.plan, key),
    submitAlerts: (...uploaded) => alerts.submit(...uploaded),
    recordAudit: (record) => audit.add(record),
    noteDamagedRecord: (what) => journal.noteDamagedRecord(what),
    recordedMetrics: (ref) => recording.store()?.metricsOf(ref),
    recordedPoints: (query) => recording.store()?.points(query),
    renderMetrics: async () => (await start.metrics.render()).text,
    dependencies: (readError) => [
      engineDependency(livenessError()),
      journalDependency(journal.health(), readError),
      ...restoredCopyDependency(restoredCopy),
      ...(link === undefined ? [] : [link.dependency()]),
      ...(start.host?.control.dependencies("") ?? []),
    ],
    ...pairFunctions(() => start.host?.control),
  };
}

type Intakes = {
  readonly intake: CommandIntake;
  readonly configuration: ActiveConfiguration;
  readonly alerts: AlertIntake;
  readonly audit: AuditLog;
};

/** The agent as its port serves it. */
function servedAgent(options: Started & Liveness & { readonly engine: EngineFunctions }): ServedAgent {
  const { start, inputs, core, engine, livenessError } = options;
  const { open, catalog, instances } = core;
  const { auth, recovered } = inputs;
  const args = resolvedArguments(start.flags);
  return {
    start: { args, auth, instances, cueVersion: start.cueVersion, processKey: randomBytes(32) },
    generation: String(recovered.epoch),
    engine,
    realm: { epoch: () => open.rows.epoch, allRows: () => open.rows.allRows(), catalog },
    plan: () => portPlanOf(open.realm.plan),
    livenessError,
  };
}

/** @param why reason why the engine does not run; undefined when it runs */
const engineDependency = (why: string | undefined): DependencyStatus => ({
  name: "engine",
  ok: why === undefined,
  needed: true,
  detail: why ?? "runs",
});

/** Makes another plan the active one, also for what is outside of the realm. */
async function swapPlan(
  { open, outbound, sinks, recording, port }: AgentCore,
  next: RealmPlan,
): Promise<PlanSwapResult> {
  const swapped = await open.swap(next);
  outbound.reload();
  await port.flushRows();
  port.planChanged();
  void sinks.configure(next);
  void recording.configure(next);
  return swapped;
}

/** Opens the audit log. Its first record says how many are missing since the last start. */
function openAudit({ journal, kept }: StartInputs["recovered"], metrics: Metrics) {
  const clock = systemClock;
  const { lostAudit = 0, logGone: orMore = false } = kept.missing ?? {};
  const queue = auditQueue({ disk: journal, clock });
  if (lostAudit > 0 || orMore) void queue.add(auditGapRecord({ lost: lostAudit, orMore }, clock.now()));
  const commandJournal = countedAudit({ accept: (...command) => journal.accept(...command) });
  registerAuditCounters(metrics, [queue, commandJournal]);
  return { queue, commandJournal, lost: () => lostAudit + queue.lost() };
}

type OpenAlertIntakeOptions = {
  readonly realm: Pick<RealmReader, "records">;
  readonly intake: CommandIntake;
  readonly journal: Pick<Journal, "firingAlerts">;
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * Opens the intake of alerts. Those that were taken before go on ending at their time, also in a read-only agent. Fails
 * with a sentence.
 */
async function openAlertIntake({ log, ...options }: OpenAlertIntakeOptions): Promise<Result<AlertIntake, string>> {
  const intake = new AlertIntake({
    ...options,
    endFailed: (refusal) => log.warn({ why: formatRefusal(refusal) }, "alerts have ended, which cannot be stored yet"),
  });
  const started = await intake.start();
  return started.ok ? ok(intake) : fail(`the alerts that fire cannot be restored: ${formatRefusal(started.error)}`);
}
