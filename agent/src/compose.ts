import { deniedCallLimiter } from "@realmwatch/shared/api/audit/audit-rate-limiter";
import { auditQueue, auditGapRecord } from "@realmwatch/shared/audit/audit-queue";
import { countObjects } from "@realmwatch/shared/config/plan-catalog";
import { type AuthPlan, compileAuthDocument } from "@realmwatch/shared/identity/auth-document";
import { loadDocument } from "@realmwatch/shared/load/load-document";
import { sleep } from "@realmwatch/shared/model/clock";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { version } from "@realmwatch/shared/model/version";
import { openMetrics } from "@realmwatch/shared/platform/metrics/metrics";
import { cannotStart, type ProgramExit, type RunningProgram } from "@realmwatch/shared/platform/process/run-program";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { memoryReadModel } from "@realmwatch/shared/read-model/memory-read-model";
import { openAgentServer } from "./agent-server.ts";
import { agentMetrics } from "./agent-metrics.ts";
import { CommandIntake } from "./api/command-intake.ts";
import { openNatsLink } from "./nats-link.ts";
import { formatDiagnostics } from "./check-config.ts";
import { openCommandFile } from "./command-file.ts";
import type { AgentFlags } from "./flags.ts";
import { countMissingRecords } from "./journal/damage/missing-records.ts";
import { openCheckRunner } from "./check-runner.ts";
import { openOutboundActions } from "./outbound-actions.ts";
import type { RealmPublisher } from "./publish/nats-publisher.ts";
import { type OpenRealm, openRealm } from "./realm/open-realm.ts";
import { realmCatalog } from "./realm/outputs/realm-catalog.ts";
import type { RunCheck } from "./realm/schedule/check-starter.ts";
import { realmListeners } from "./realm-listeners.ts";
import { serveConfiguration } from "./served-configuration.ts";
import { startSnapshots } from "./snapshot-file.ts";
import type { PendingStart } from "./start-agent.ts";
import { openRemoteZones } from "./remote-zones.ts";

/** Time without a round after which the realm loop counts as hung, ms. */
const idleLimitMs = 10_000;

async function loadAuth({ authConfig }: AgentFlags): Promise<Result<AuthPlan | undefined, ProgramExit>> {
  if (authConfig === undefined) return ok(undefined);
  const loaded = await loadDocument({
    source: { kind: "path", path: authConfig },
    compile: compileAuthDocument,
    clock: systemClock,
  });
  return loaded.ok ? ok(loaded.value.value) : cannotStart(...formatDiagnostics(loaded.error));
}

/** Time that running checks and requests have to end when the agent stops, ms. */
const stopGraceMs = 10_000;

/** Builds and starts an agent. */
export async function runAgent(start: PendingStart): Promise<Result<RunningProgram, ProgramExit>> {
  const { flags, log, service, journalCallbacks } = start;
  const clock = systemClock;
  const { realm: name, natsUrl } = flags;
  const metrics = openMetrics({ program: "agent", version });
  const measured = agentMetrics(metrics, {
    checksRunning: () => open.scheduler.runningCount,
    checksWaiting: () => open.scheduler.waitingCount,
    schedulerLagMs: () => open.scheduler.lagMs,
    inputsWaiting: () => open.loop.inputsWaiting,
    commandsWaiting: () => open.loop.commandsWaiting,
    journalWritable: () => journal.health().writable,
    journalBytes: () => journal.health().bytes,
    journalMissing: () => (kept.missing === undefined ? 0 : countMissingRecords(kept.missing)),
    journalDamaged: () => journal.health().damagedRecords,
    freeBytes: () => journal.health().freeBytes,
    auditLost: () => lostAudit + trail.lost(),
    objects: () => open.realm.records.size,
  });
  journalCallbacks.onSync = (ms) => measured.synced(ms);
  const [auth, loaded, opened] = await Promise.all([loadAuth(flags), start.loading, start.opening]);
  if (!auth.ok || !loaded.ok || !opened.ok) {
    if (opened.ok) await opened.value.journal.close();
    if (!loaded.ok) return cannotStart(...formatDiagnostics(loaded.error));
    if (!auth.ok) return auth;
    return cannotStart(...(opened.ok ? [] : [`realmwatch-agent: ${opened.error}`]));
  }
  const plan = loaded.value;
  const { journal, kept, epoch } = opened.value;

  let publisher: RealmPublisher | undefined;
  let lastHistorySeq = kept.lastHistorySeq;
  const model = memoryReadModel({
    generation: String(epoch),
    history: journal,
    past: journal,
    yieldToEventLoop: () => sleep(clock, 0),
    ownRealm: name,
  });
  const checks = openCheckRunner();
  const runHere: RunCheck = (object, where) => checks.run(object, { ...where, realm: open.realm.plan });
  const zones =
    natsUrl === undefined
      ? undefined
      : openRemoteZones(() => open.realm.plan, { realm: name, bus: () => link?.bus, metrics });
  const outgoing = openOutboundActions({ flags, clock, log, metrics, open: () => open, run: runHere });
  const open: OpenRealm = await openRealm({
    name,
    plan,
    clock,
    journal,
    epoch,
    stored: kept,
    run: runHere,
    zones: new Set(flags.zones),
    runElsewhere: zones?.run,
    source: name,
    maxConcurrentChecks: flags.maxConcurrentChecks,
    listeners: realmListeners({
      model,
      measured,
      outgoing,
      log,
      publisher: () => publisher,
      advanced(seq) {
        lastHistorySeq = seq;
      },
    }),
  });
  journalCallbacks.refsMatching = (selector) => open.realm.refsMatching(selector);
  for (const row of open.loop.allRows()) model.apply([row]);
  model.setCatalog(realmCatalog(open.realm));

  const trail = auditQueue({ disk: journal, clock });
  const { lostAudit = 0, logGone: orMore = false } = kept.missing ?? {};
  if (lostAudit > 0 || orMore) void trail.add(auditGapRecord({ lost: lostAudit, orMore }, clock.now()));
  const audit = deniedCallLimiter({ audit: trail, clock });
  const desk = new CommandIntake({ clock, journal, loop: open.loop });
  const swap: OpenRealm["swap"] = async (next) => {
    const swapped = await open.swap(next);
    outgoing.reload();
    return swapped;
  };
  const configuration = serveConfiguration({ flags, log, swap, reloaded: measured.reloaded });
  /** Closes everything that was opened when the agent cannot start. */
  const abandon = async (why: string): Promise<Result<RunningProgram, ProgramExit>> => {
    await open.stop(0);
    await Promise.all([checks.close(), outgoing.close(0)]);
    await journal.close();
    return cannotStart(`realmwatch-agent: ${why}`);
  };
  const commandFile = openCommandFile({ path: flags.commandFile, open, desk, audit, clock, log, metrics });
  if (!commandFile.ok) return abandon(commandFile.error);
  const alive = (): string | undefined =>
    open.loop.idleMs > idleLimitMs ? "the engine has not run for 10 s" : undefined;
  const door = await openAgentServer({
    flags,
    clock,
    log,
    metrics,
    auth: auth.value,
    audit,
    model,
    open,
    journal,
    desk,
    configuration,
    livenessError: alive,
    publisher: () => publisher,
  });
  if (!door.ok) {
    await commandFile.value.close();
    return abandon(`${door.error}; choose another address with -listen`);
  }
  const link = openNatsLink({
    flags,
    log,
    metrics,
    open,
    journal,
    epoch,
    lastHistorySeq,
    door: door.value,
  });
  publisher = link?.publisher;
  const endSnapshots = startSnapshots({
    path: flags.snapshotOut,
    intervalMs: flags.snapshotInterval,
    open,
    clock,
    log,
    metrics,
  });
  // Notifications recovered from the journal are sent before those that the start decides.
  outgoing.notify(kept.notifications);
  open.start();
  measured.reloaded(true, clock.now());
  service.ready(`realm ${name}, ${door.value.address}:${door.value.port}`, alive);
  log.info(
    { realm: name, address: `http://${door.value.address}:${door.value.port}`, ...countObjects(plan) },
    "agent is ready",
  );
  return ok({
    reload: () => void configuration.reload(),
    async stop() {
      log.info("stopping");
      service.stopping();
      await commandFile.value.close();
      await Promise.all([door.value.close(stopGraceMs), open.stop(stopGraceMs)]);
      zones?.close();
      await Promise.all([checks.close(), outgoing.close(stopGraceMs), link?.close()]);
      await endSnapshots();
      await audit.close();
      await trail.close();
      await journal.close();
      metrics.close();
    },
  });
}
