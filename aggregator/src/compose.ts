import { startWarnings } from "@realmwatch/shared/api/access/start-warnings";
import type { DependencyStatus } from "@realmwatch/shared/api/probe-pages";
import { registerAuditCounters } from "@realmwatch/shared/audit/audit-counters";
import { auditGapRecord, auditQueue, formatAuditGap } from "@realmwatch/shared/audit/audit-queue";
import { type AuditStore, openAuditStore } from "@realmwatch/shared/audit/audit-store";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { buildCommit, version } from "@realmwatch/shared/model/version";
import { warnOfExposedSecrets } from "@realmwatch/shared/platform/flags/exposed-secrets";
import { idGenerator } from "@realmwatch/shared/platform/id-generator";
import { type Log, openLog } from "@realmwatch/shared/platform/log/log";
import { type Metrics, openMetrics } from "@realmwatch/shared/platform/metrics/metrics";
import { type NatsBus, openNatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { natsCredentialFiles } from "@realmwatch/shared/platform/nats/nats-credential-files";
import { cannotStart, type ProgramExit, type RunningProgram } from "@realmwatch/shared/platform/process/run-program";
import { openServiceManager, type ServiceManager } from "@realmwatch/shared/platform/process/service-manager";
import { freeDiskBytes } from "@realmwatch/shared/platform/sqlite/free-disk-space";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import type { PortAddress } from "@realmwatch/shared/port-host/port-host";
import { type Centre, openCentre } from "./centre/centre.ts";
import { type AggregatorDocuments, loadDocuments } from "./centre/documents.ts";
import { type AggregatorFlags, aggregatorFlags, aggregatorStart } from "./flags.ts";
import { openStreamMonitor, type StreamReport } from "./ingest/stream-monitor.ts";
import { CentrePortHost } from "./port-host/centre-port-host.ts";
import { FedModels } from "./port-host/fed-models.ts";
import { type CentreRedis, identityFile, openCentreRedis } from "./redis/ownership/centre-redis.ts";
import { redisTlsFiles, unreadableTlsFile } from "./redis/redis-clients.ts";
import { ReconnectingRedis } from "./redis/redis-connection.ts";

/**
 * Time for running requests to finish at shutdown, and for calls that wait for realms, ms. Service managers often kill
 * a program after ten seconds: by then every request has an answer.
 */
const graceMs = { all: 8_000, forwards: 5_000 } as const;
const clock = systemClock;

/** Starts the aggregator: the port is open at once, and answers `unavailable` until the read model is complete. */
export async function startAggregator(flags: AggregatorFlags): Promise<Result<RunningProgram, ProgramExit>> {
  const log = await openLog({ level: flags.logLevel, format: flags.logFormat });
  warnOfExposedSecrets(aggregatorFlags, log);
  const service = openServiceManager({ env: process.env, pid: process.pid, clock });
  const documents = await load(flags);
  return documents.ok ? run(flags, { log, service, documents: documents.value }) : cannotStart(...documents.error);
}

const load = ({ realmsConfig = "", authConfig }: AggregatorFlags) =>
  loadDocuments({ realmsConfig, authConfig }, { clock, environment: process.env });

type Parts = { readonly log: Log; readonly service: ServiceManager; readonly documents: AggregatorDocuments };

async function run(flags: AggregatorFlags, parts: Parts): Promise<Result<RunningProgram, ProgramExit>> {
  const unreadable = unreadableTlsFile(redisTlsFiles(flags));
  if (unreadable !== undefined) return cannotStart(`realmwatch-aggregator: ${unreadable}`);
  const metrics = openMetrics({ version, commit: buildCommit });
  const audit = await openAudit(flags, { ...parts, metrics });
  if (!audit.ok) return cannotStart(`realmwatch-aggregator: ${audit.error}`);
  const backend = await openBackend(flags, { ...parts, metrics });
  const close = async (): Promise<void> => {
    await audit.value.close();
    await backend.close();
    metrics.close();
  };
  const address = await openPort(flags, { ...parts, ...backend, metrics, audit: audit.value });
  if (address.ok) return ok(serve(flags, { ...parts, ...backend, address: address.value, close }));
  await close();
  return cannotStart(`realmwatch-aggregator: ${address.error}`);
}

type BackendOptions = Omit<Parts, "service"> & { readonly metrics: Metrics };
type Backend = Awaited<ReturnType<typeof openBackend>>;

/** Opens what the port serves, and the port's host: the connections to NATS and Redis, and the centre. */
async function openBackend(flags: AggregatorFlags, { log, documents, metrics }: BackendOptions) {
  const mint = idGenerator(clock);
  const openBus = (name: string): NatsBus =>
    openNatsBus({ url: flags.natsUrl?.reveal() ?? "", ...natsCredentialFiles(flags), name, clock, log });
  const [bus, heartbeatBus] = [openBus("realmwatch-aggregator"), openBus("realmwatch-aggregator heartbeats")];
  const streams = openStreamMonitor({ bus, clock, log, metrics, replicas: flags.natsReplicas });
  const fed = new FedModels(clock);
  const port = new CentrePortHost({ clock, log, fed });
  const redis = await openRedis(flags, { log, port, aggregator: mint(), streamsIdentity: streams.identity });
  const { forwardTimeout: forwardTimeoutMs, historyRetention: historyRetentionMs } = flags;
  const centre = openCentre(documents, {
    ...{ bus, heartbeatBus, redis, fed, clock, log, metrics, mint, forwardTimeoutMs, historyRetentionMs },
  });
  return {
    ...{ redis, streams, centre, port },
    async close() {
      await centre.close();
      await streams.close();
      await Promise.all([bus.close(), heartbeatBus.close(), redis?.close()]);
    },
  };
}

type PortParts = BackendOptions & Backend & { readonly audit: Audit };

function openPort(flags: AggregatorFlags, parts: PortParts): Promise<Result<PortAddress, string>> {
  const { metrics, documents, centre, streams, audit, redis, port } = parts;
  metrics.observableCounters({
    port_restarts_total: ["Threads of the port that ended or hung and were replaced.", () => port.restarts],
  });
  return port.open({
    ...{ flags, auth: documents.auth, centre, identity: () => redis?.centre ?? "" },
    engine: {
      recordAudit: (record) => audit.queue.add(record),
      auditRecords: (query) => audit.store.auditRecords(query),
      renderMetrics: async () => (await metrics.render()).text,
      dependencies: () => [...centre.dependencies(), streamDependency(streams.report()), auditDependency(audit.store)],
    },
  });
}

type ServingParts = Parts &
  Pick<Backend, "centre" | "redis" | "port"> & { address: PortAddress; close(): Promise<void> };

/** Reports that the program is ready, which runs until `stop`. */
function serve(flags: AggregatorFlags, parts: ServingParts): RunningProgram {
  const { log, service, documents, centre, redis, port, close } = parts;
  const { address, port: number } = parts.address;
  log.info({ address, port: number, realms: documents.plan.size, redis: redis !== undefined }, "aggregator is up");
  // The keep-alive comes from a timer of the event loop, so that it ends when the loop hangs.
  service.ready(`${documents.plan.size} realms, ${address}:${number}`, () => undefined);
  for (const warning of startWarnings(aggregatorStart(flags))) log.warn(warning);
  return {
    reload() {
      port.reloadCertificate();
      void reload(flags, { log, centre, port });
    },
    async stop() {
      service.stopping();
      const cancel = clock.after(graceMs.forwards, centre.abandonCalls);
      await port.close(graceMs.all);
      cancel();
      await close();
      log.info("aggregator has stopped");
    },
  };
}

type Audit = Extract<Awaited<ReturnType<typeof openAudit>>, { ok: true }>["value"];

/** Opens the audit log, and logs and records what an earlier run lost of it. */
async function openAudit({ dataDir, auditRetention }: AggregatorFlags, { log, metrics }: AuditParts) {
  const store = await openAuditStore({
    dataDir,
    retentionMs: auditRetention,
    clock,
    onWriteFailed: (why) => log.error({ why }, "the audit log cannot be written: records wait in memory"),
    onWriteRecovered: () => log.info("the audit log is writable again: waiting records are on disk"),
  });
  if (!store.ok) return store;
  const queue = auditQueue({ disk: store.value, clock });
  const { gap } = store.value;
  if (gap !== undefined) {
    log.error({ dataDir, ...gap }, `the audit log lost its last records: ${formatAuditGap(gap)}`);
    void queue.add(auditGapRecord(gap, clock.now()));
  }
  const lostBefore = gap === undefined ? 0 : Math.max(1, gap.lost);
  registerAuditMetrics(metrics, {
    lost: () => lostBefore + queue.lost(),
    error: store.value.error,
    freeBytes: () => freeDiskBytes(dataDir),
  });
  registerAuditCounters(metrics, [queue]);
  return ok({
    store: store.value,
    queue,
    async close() {
      await queue.close();
      await store.value.close();
    },
  });
}
type AuditParts = { readonly log: Log; readonly metrics: Metrics };

/** Registers the metrics of the audit log and its disk. */
function registerAuditMetrics(
  metrics: Metrics,
  { lost, error, freeBytes }: { lost(): number; error(): string; freeBytes(): number },
): void {
  metrics.observableGauges({
    audit_records_lost: [
      "Audit records lost: missing at the start, or dropped since because neither disk nor memory could hold them.",
      lost,
    ],
    data_dir_free_bytes: ["Free space on the disk of the data directory.", freeBytes],
    audit_writable: ["1 while the audit log accepts records.", () => Number(error() === "")],
  });
}

type RedisOptions = {
  readonly log: Log;
  readonly port: CentrePortHost;
  readonly aggregator: string;
  readonly streamsIdentity: () => string;
};

/** Opens the Redis that the aggregators of a centre share; undefined without one. */
async function openRedis(flags: AggregatorFlags, { port, ...options }: RedisOptions): Promise<CentreRedis | undefined> {
  const { dataDir, redisUrl } = flags;
  if (redisUrl === undefined) return undefined;
  const file = await identityFile(dataDir, options.log);
  return openCentreRedis({
    ...options,
    redis: new ReconnectingRedis({ url: redisUrl.reveal(), tlsFiles: redisTlsFiles(flags), clock, log: options.log }),
    memory: {
      identity: file.identity,
      remember(identity) {
        file.remember(identity);
        port.centreChanged(identity);
      },
    },
    clock,
  });
}

/** Status of the audit log. Not needed for readiness: without it records wait in memory, and requests are served. */
function auditDependency({ error, gap }: Pick<AuditStore, "error" | "gap">): DependencyStatus {
  const why = error();
  const takes = gap === undefined ? "takes records" : `takes records; ${formatAuditGap(gap)}`;
  return { name: "audit", ok: why === "", needed: false, detail: why === "" ? takes : why };
}

/** Status of the streams. Not needed for readiness: what the aggregator holds is served without them. */
function streamDependency({ problems, summary }: StreamReport): DependencyStatus {
  const detail = problems.length > 0 ? problems.join("; ") : summary || "not read yet";
  return { name: "streams", ok: problems.length === 0, needed: false, detail };
}

type ReloadedParts = { readonly log: Log; readonly centre: Centre; readonly port: CentrePortHost };

/** Reloads the realms document and all tokens on SIGHUP. An invalid document changes nothing. */
async function reload(flags: AggregatorFlags, { log, centre, port }: ReloadedParts): Promise<void> {
  const documents = await load(flags);
  if (documents.ok) {
    log.info({ realms: documents.value.plan.size }, "realms document: loaded");
    centre.applyDocuments(documents.value);
    return port.realmsChanged(centre.forwardedRealms());
  }
  centre.onReloadFailed();
  log.error({ problems: documents.error }, "realms document: refused; the previous one stays in use");
}
