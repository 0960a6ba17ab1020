import { AdminService } from "@realmwatch/proto/svc/v1/admin_pb";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { PairService } from "@realmwatch/proto/svc/v1/pair_pb";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { warningsFor } from "@realmwatch/shared/api/access/start-warnings";
import { builtSite } from "@realmwatch/shared/api/built-site";
import type { PortParts } from "@realmwatch/shared/api/engine-parts";
import { renderObjectMetrics } from "@realmwatch/shared/api/object-metrics";
import type { DependencyStatus } from "@realmwatch/shared/api/probe-pages";
import { outboundPolicyOf } from "@realmwatch/shared/api/program-flags";
import type { ProgramPorts } from "@realmwatch/shared/api/program-ports";
import { openProgramServer } from "@realmwatch/shared/api/program-server";
import { queryService } from "@realmwatch/shared/api/query/query-service";
import type { Catalog } from "@realmwatch/shared/model/catalog";
import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import { ok } from "@realmwatch/shared/model/result";
import { version } from "@realmwatch/shared/model/version";
import { LateOpened } from "@realmwatch/shared/platform/late-opened";
import { refusedDispatch } from "@realmwatch/shared/platform/rpc/dispatched-rpc";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { type MemoryReadModel, memoryReadModel } from "@realmwatch/shared/read-model/memory-read-model";
import type { Row, RowChange } from "@realmwatch/shared/row/row";
import { decodeChanges } from "@realmwatch/shared/row/sent-change";
import { timestampToProto } from "@realmwatch/shared/wire/fields/time";
import { alertUploads } from "../alerts/alert-uploads.ts";
import { parseStoredAlert } from "../alerts/firing-alerts.ts";
import { UnmappedAlerts } from "../alerts/unmapped-alerts.ts";
import { type AgentFlags, agentStart } from "../flags.ts";
import type { JournalQueries } from "../journal/journal-queries.ts";
import { openJournalQueries } from "../journal/threads/open-journal-queries.ts";
import { measuredRows } from "../service-levels/measured-realm.ts";
import { ServiceLevels } from "../service-levels/service-levels.ts";
import { adminService } from "./admin-service.ts";
import { commandService } from "./command-service.ts";
import type { OpenMetricQueries } from "./open-metric-queries.ts";
import { pairService } from "./pair-service.ts";
import { PairView } from "./pair-view.ts";
import type { EngineChannel, PortFunctions, PortPlan, PortStart } from "./port-contract.ts";
import { agentQueries } from "./realm-queries.ts";
import { refsMatching } from "./refs-matching.ts";
import { registerStateMetrics } from "./state-metrics.ts";

type PortEnvironment = { readonly flags: AgentFlags; readonly parts: PortParts };

/** The agent's port with everything that answers its requests: read model, queries, metrics and the dashboard. */
export class AgentPort implements PortFunctions {
  readonly #start: PortStart;
  readonly #flags: AgentFlags;
  readonly #engine: EngineChannel;
  readonly #clock: Clock = systemClock;
  readonly #parts: PortParts;
  readonly #journal: JournalQueries;
  readonly #model: MemoryReadModel;
  readonly #unmapped: UnmappedAlerts;
  /** Queries of metrics, whose modules are loaded at their first use, because few realms have datasources. */
  readonly #metricQueries = new LateOpened(() => this.#openMetricQueries());
  readonly #called: { readonly realm: string; readonly instance: string; previousInstance: string };
  #plan: PortPlan;
  #unavailable = "";
  #catalog: Catalog | undefined;
  #server: ProgramPorts | undefined;

  constructor(start: PortStart, { flags, parts }: PortEnvironment, engine: EngineChannel) {
    this.#start = start;
    this.#flags = flags;
    this.#engine = engine;
    this.#plan = start.plan;
    const { own, previous } = start.instances;
    this.#called = { realm: flags.realm, instance: own, previousInstance: previous };
    this.#parts = parts;
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
      ...this.#parts,
      clock: this.#clock,
      planHash: () => this.#plan.hash,
    });
  }

  readonly applyRows: PortFunctions["applyRows"] = (changes) => {
    for (const change of decodeChanges(changes)) {
      if (change.kind === "put") change.row.about ??= this.#aboutOf(change.ref ?? "");
      this.#model.apply([change as RowChange]);
    }
  };

  /** Returns the metadata that an earlier row of an object had. Throws when no row of the object has arrived yet. */
  #aboutOf(ref: string): Row["about"] {
    const row = this.#model.row("", ref);
    if (row === undefined) throw new Error(`the first row of ${ref} must have metadata`);
    return row.about;
  }

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

  readonly heartbeat: PortFunctions["heartbeat"] = (livenessError) => this.#parts.pulse.beat(livenessError);

  readonly listen: PortFunctions["listen"] = async () => {
    const [engine, clock, flags, model] = [this.#engine, this.#clock, this.#flags, this.#model];
    const { pulse, ...parts } = this.#parts;
    const { auth, processKey } = this.#start;
    registerStateMetrics({ metrics: parts.metrics, model, clock, plan: () => this.#plan });
    const queries = this.#queries();
    const server = await openProgramServer({
      ...{ ...parts, auth, processKey, clock, flags, called: this.#called, audience: `agent/${flags.realm}` },
      livenessError: pulse.error,
      unavailable: () => this.#unavailable,
      dependencies: () => this.#dependencies(),
      uploads: flags.readOnly ? undefined : this.#uploads(),
      objectMetrics: () => renderObjectMetrics({ model, ownRealm: flags.realm, clock }),
      dashboardDir: builtSite(import.meta.resolve("@realmwatch/dashboard/package.json")),
      docsDir: builtSite(import.meta.resolve("@realmwatch/docs/package.json")),
      inactiveReason: flags.pair === undefined ? undefined : () => inactiveReason(engine),
      mount: (router) => {
        router.service(QueryService, queries);
        if (flags.pair !== undefined)
          router.service(PairService, pairService(engine, Buffer.from(flags.pairSecret?.reveal() ?? "")));
        if (flags.readOnly) return;
        router.service(CommandService, commandService(engine));
        if (auth !== undefined) router.service(AdminService, adminService(engine, this.#journal));
      },
    });
    if (!server.ok) return server;
    this.#server = server.value;
    const { address, port, url } = server.value;
    return ok({ address, port, url });
  };

  #queries() {
    const [engine, clock, model, journal] = [this.#engine, this.#clock, this.#model, this.#journal];
    const { realm, readOnly, pair } = this.#flags;
    const { auth, cueVersion } = this.#start;
    const plan = (): PortPlan => this.#plan;
    const pairView = new PairView(() => engine.request("pairStatus"), clock);
    return queryService({
      model,
      clock,
      serverInfo: () => ({
        ...{ version, cueVersion, authEnabled: auth !== undefined, readOnly, realm, aggregator: false },
        toggles: this.#catalog?.toggles,
        objectMetrics: plan().datasources.some((datasource) => datasource.default),
        unmappedAlerts: this.#unmapped.listed.map(({ firstSeenMs, lastSeenMs, ...alert }) => ({
          ...alert,
          firstSeen: timestampToProto(firstSeenMs),
          lastSeen: timestampToProto(lastSeenMs),
        })),
      }),
      warnings: (caller) => warningsFor(caller, agentStart(this.#flags)),
      realmQueries: agentQueries({
        ...{ realm, plan, clock, engine },
        serviceLevels: new ServiceLevels({ realm: measuredRows(realm, model, plan), journal, clock }),
        metricQueries: async () => (await this.#metricQueries.get()).queries,
      }),
      ...(pair !== undefined && { pair: () => pairView.read() }),
    });
  }

  readonly reloadCertificate: PortFunctions["reloadCertificate"] = () => this.#server?.reloadCertificate();

  readonly dispatch: PortFunctions["dispatch"] = async (call) => {
    if (this.#server !== undefined) return this.#server.dispatch(call);
    return refusedDispatch("unavailable", "the port is not open yet");
  };

  readonly close: PortFunctions["close"] = async (graceMs) => {
    await this.#server?.close(graceMs);
    await this.#parts.audit.close();
    await Promise.all([this.#journal.closeReader(), this.#metricQueries.close((opened) => opened.close())]);
    this.#parts.metrics.close();
  };

  async #openMetricQueries(): Promise<OpenMetricQueries> {
    const { openMetricQueries } = await import("./open-metric-queries.ts");
    const { realm, configProfile } = this.#flags;
    return openMetricQueries({
      ...{ realm, model: this.#model, plan: () => this.#plan, engine: this.#engine },
      ...{ clock: this.#clock, log: this.#parts.log },
      outbound: outboundPolicyOf(this.#flags, { demo: configProfile === "demo" }),
    });
  }

  #uploads() {
    const { metrics, audit } = this.#parts;
    const requests = metrics.counter({
      name: "alert_requests_total",
      help: "Requests with alerts, by outcome.",
      labels: ["outcome"],
    });
    return alertUploads({
      clock: this.#clock,
      receivers: () => this.#plan.receivers,
      keyOf: (ref) => this.#model.row("", ref)?.about.key,
      intake: { submit: (...alerts) => this.#engine.request("submitAlerts", ...alerts) },
      audit,
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
    const { pulse } = this.#parts;
    const hung: DependencyStatus = { name: "engine", ok: false, needed: true, detail: pulse.error() ?? "" };
    if (pulse.isSilent()) return [hung];
    return this.#engine.request("dependencies", this.#journal.readError);
  }
}

/** Reason why this member of a pair is not the active one; undefined when it is. */
async function inactiveReason(engine: EngineChannel): Promise<string | undefined> {
  const { role, active, reason } = (await engine.request("pairStatus")) ?? { role: "waiting", active: "", reason: "" };
  if (role === "active") return undefined;
  const of = role === "standby" && active !== "" ? `${role}: the active is ${active}` : role;
  return reason === "" ? of : `${of}: ${reason}`;
}
