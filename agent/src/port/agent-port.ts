import { anonymousCallLimiter } from "@realmwatch/shared/api/audit/audit-rate-limiter";
import { engineAudit, withEngineMetrics } from "@realmwatch/shared/api/engine-parts";
import { EnginePulse } from "@realmwatch/shared/api/engine-pulse";
import type { DependencyStatus } from "@realmwatch/shared/api/probe-pages";
import { outboundPolicyOf } from "@realmwatch/shared/api/program-flags";
import type { ProgramPorts } from "@realmwatch/shared/api/program-ports";
import type { Catalog } from "@realmwatch/shared/model/catalog";
import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import { ok } from "@realmwatch/shared/model/result";
import { type Log, openLog } from "@realmwatch/shared/platform/log/log";
import { type Metrics, openThreadMetrics } from "@realmwatch/shared/platform/metrics/metrics";
import { refusedDispatch } from "@realmwatch/shared/platform/rpc/dispatched-rpc";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { type MemoryReadModel, memoryReadModel } from "@realmwatch/shared/read-model/memory-read-model";
import type { RowChange } from "@realmwatch/shared/row/row";
import { alertUploads } from "../alerts/alert-uploads.ts";
import { parseStoredAlert } from "../alerts/firing-alerts.ts";
import { UnmappedAlerts } from "../alerts/unmapped-alerts.ts";
import type { AgentFlags } from "../flags.ts";
import type { JournalQueries } from "../journal/journal-queries.ts";
import { openJournalQueries } from "../journal/threads/open-journal-queries.ts";
import { measuredRows } from "../service-levels/measured-realm.ts";
import { ServiceLevels } from "../service-levels/service-levels.ts";
import { openAgentServer } from "./agent-server.ts";
import type { OpenMetricQueries } from "./open-metric-queries.ts";
import type { EngineChannel, PortFunctions, PortPlan, PortStart } from "./port-contract.ts";
import { refsMatching } from "./refs-matching.ts";
import { registerStateMetrics } from "./state-metrics.ts";

/** The agent's port with everything that answers its requests: read model, queries, metrics and the dashboard. */
export class AgentPort implements PortFunctions {
  readonly #start: PortStart;
  readonly #flags: AgentFlags;
  readonly #engine: EngineChannel;
  readonly #clock: Clock = systemClock;
  readonly #log: Log;
  readonly #metrics: Metrics;
  readonly #journal: JournalQueries;
  readonly #model: MemoryReadModel;
  readonly #audit: ReturnType<typeof anonymousCallLimiter>;
  readonly #unmapped: UnmappedAlerts;
  readonly #pulse = new EnginePulse(systemClock);
  #metricQueries: Promise<OpenMetricQueries> | undefined;
  readonly #called: { readonly realm: string; readonly instance: string; previousInstance: string };
  #plan: PortPlan;
  #unavailable = "";
  #catalog: Catalog | undefined;
  #server: ProgramPorts | undefined;

  constructor(start: PortStart, flags: AgentFlags, engine: EngineChannel) {
    this.#start = start;
    this.#flags = flags;
    this.#engine = engine;
    this.#plan = start.plan;
    const { own, previous } = start.instances;
    this.#called = { realm: flags.realm, instance: own, previousInstance: previous };
    this.#log = openLog({ level: flags.logLevel, format: flags.logFormat });
    this.#metrics = withEngineMetrics(openThreadMetrics("port"), () => engine.request("renderMetrics"));
    this.#journal = openJournalQueries({
      dataDir: flags.dataDir,
      realm: flags.realm,
      onDamagedRecord: (what) => engine.tell("noteDamagedRecord", what),
    });
    this.#model = memoryReadModel({
      generation: start.generation,
      history: {
        history: (query) =>
          this.#journal.history(
            query,
            refsMatching(() => this.#model, flags.realm),
          ),
      },
      past: this.#journal,
      yieldToEventLoop: () => sleep(this.#clock, 0),
      ownRealm: flags.realm,
    });
    this.#unmapped = new UnmappedAlerts({
      ...{ metrics: this.#metrics, log: this.#log, clock: this.#clock },
      planHash: () => this.#plan.hash,
    });
    this.#audit = anonymousCallLimiter({
      audit: engineAudit((record) => engine.request("recordAudit", record)),
      clock: this.#clock,
    });
  }

  readonly applyRows: PortFunctions["applyRows"] = (changes) => {
    for (const change of changes) {
      if (change.kind === "put") change.row.about ??= this.#model.row("", change.ref)?.about;
      this.#model.apply([change as RowChange]);
    }
  };

  readonly setCatalog: PortFunctions["setCatalog"] = (catalog) => {
    this.#catalog = catalog;
    this.#model.setCatalog(catalog);
  };

  readonly setPlan: PortFunctions["setPlan"] = (plan) => {
    this.#plan = plan;
  };

  readonly setPreviousInstance: PortFunctions["setPreviousInstance"] = (instance) => {
    this.#called.previousInstance = instance;
  };

  readonly reopenJournal: PortFunctions["reopenJournal"] = () => this.#journal.reopen();

  readonly setUnavailable: PortFunctions["setUnavailable"] = (why) => {
    this.#unavailable = why;
  };

  readonly dropRowsBelow: PortFunctions["dropRowsBelow"] = (epoch) => this.#model.dropRealmRowsBelow("", epoch);

  readonly heartbeat: PortFunctions["heartbeat"] = (livenessError) => this.#pulse.beat(livenessError);

  readonly listen: PortFunctions["listen"] = async () => {
    const [clock, flags, model, journal] = [this.#clock, this.#flags, this.#model, this.#journal];
    const plan = (): PortPlan => this.#plan;
    registerStateMetrics({ metrics: this.#metrics, model, clock, plan });
    const { auth, cueVersion, processKey } = this.#start;
    const server = await openAgentServer({
      ...{ auth, called: this.#called, cueVersion, processKey, clock, flags, model, journal, plan },
      engine: this.#engine,
      log: this.#log,
      metrics: this.#metrics,
      audit: this.#audit,
      toggles: () => this.#catalog?.toggles,
      unmappedAlerts: () => this.#unmapped.listed,
      livenessError: this.#pulse.error,
      unavailable: () => this.#unavailable,
      dependencies: () => this.#dependencies(),
      uploads: flags.readOnly ? undefined : this.#uploads(),
      serviceLevels: new ServiceLevels({ realm: measuredRows(flags.realm, model, plan), journal, clock }),
      metricQueries: async () => {
        this.#metricQueries ??= this.#openMetricQueries();
        return (await this.#metricQueries).queries;
      },
    });
    if (!server.ok) return server;
    this.#server = server.value;
    const { address, port, url } = server.value;
    return ok({ address, port, url });
  };

  readonly reloadCertificate: PortFunctions["reloadCertificate"] = () => this.#server?.reloadCertificate();

  readonly dispatch: PortFunctions["dispatch"] = async (call) => {
    if (this.#server !== undefined) return this.#server.dispatch(call);
    return refusedDispatch("unavailable", "the port is not open yet");
  };

  readonly close: PortFunctions["close"] = async (graceMs) => {
    await this.#server?.close(graceMs);
    await this.#audit.close();
    await Promise.all([this.#journal.closeReader(), this.#metricQueries?.then((opened) => opened.close())]);
    this.#metrics.close();
  };

  /** Opens the queries of metrics, whose modules are loaded only now, because few realms have datasources. */
  async #openMetricQueries(): Promise<OpenMetricQueries> {
    const { openMetricQueries } = await import("./open-metric-queries.ts");
    const { realm, configProfile } = this.#flags;
    return openMetricQueries({
      ...{ realm, model: this.#model, plan: () => this.#plan, engine: this.#engine },
      ...{ clock: this.#clock, log: this.#log },
      outbound: outboundPolicyOf(this.#flags, { demo: configProfile === "demo" }),
    });
  }

  #uploads() {
    const requests = this.#metrics.counter({
      name: "alert_requests_total",
      help: "Requests with alerts, by outcome.",
      labels: ["outcome"],
    });
    return alertUploads({
      clock: this.#clock,
      receivers: () => this.#plan.receivers,
      keyOf: (ref) => this.#model.row("", ref)?.about.key,
      intake: { submit: (...alerts) => this.#engine.request("submitAlerts", ...alerts) },
      audit: this.#audit,
      unmapped: this.#unmapped.add,
      authenticated: this.#start.auth !== undefined || this.#flags.apiToken !== undefined,
      counted: (outcome) => requests.inc({ outcome }),
      queries: {
        startedAtMs: this.#clock.now(),
        // The journal has each alert before its request is answered, and reading it does not occupy the engine.
        firing: async () => {
          const stored = await this.#journal.firingAlerts();
          return stored.ok ? ok(stored.value.map(parseStoredAlert)) : stored;
        },
        rowOf: (ref) => this.#model.row("", ref),
      },
    });
  }

  async #dependencies(): Promise<readonly DependencyStatus[]> {
    const hung: DependencyStatus = { name: "engine", ok: false, needed: true, detail: this.#pulse.error() ?? "" };
    if (this.#pulse.isSilent()) return [hung];
    return this.#engine.request("dependencies", this.#journal.readError);
  }
}
