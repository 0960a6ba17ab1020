import type { RealmPlan } from "@realmwatch/shared/config/plan";
import { type AuthPlan, authDocument, compileAuthDocument } from "@realmwatch/shared/identity/auth-document";
import { type Loader, loadDocument } from "@realmwatch/shared/load/load-document";
import { ok, type Result } from "@realmwatch/shared/model/result";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { cannotStart, type ProgramExit } from "@realmwatch/shared/platform/process/run-program";
import type { ServiceManager } from "@realmwatch/shared/platform/process/service-manager";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import type { AgentMetrics } from "./agent-metrics.ts";
import { formatDiagnostics, type loadConfigurationWithSource } from "./check-config.ts";
import type { AgentFlags } from "./flags.ts";
import type { DutyStart } from "./pair/duty.ts";
import type { AgentPortHost } from "./port-host/agent-port-host.ts";
import type { AgentInstances } from "./publish/heartbeat/agent-instances.ts";
import type { LoadedDocument } from "./realm/reload/active-configuration.ts";
import type { openRecoveredJournal, RecoveredJournal } from "./recovered-journal.ts";

/** Start in progress: the slowest steps run on threads of their own while the other modules are loaded. */
export type PendingStart = {
  readonly flags: AgentFlags;
  readonly log: Log;
  readonly service: ServiceManager;
  readonly loading: ReturnType<typeof loadConfigurationWithSource>;
  /** Loader of the configuration, which stays open for reloads. */
  readonly loader: Loader;
  /** Time at which `loading` began, on the monotonic clock, ms. */
  readonly loadingSinceMs: number;
  readonly opening: ReturnType<typeof openRecoveredJournal>;
  readonly metrics: Metrics;
  readonly measured: AgentMetrics;
  /** Version of the CUE that evaluates the configuration. */
  readonly cueVersion: string;
  /** Parts that outlive this agent, of a member of a pair. Default: the agent opens its own. */
  readonly host?: AgentHost;
};

/** Parts of a member of a pair which stay while it is active again and again. */
type AgentHost = Pick<DutyStart, "right" | "control" | "judgedUntilMs" | "epochHeard"> & {
  readonly port: AgentPortHost;
  readonly bus: NatsBus;
  readonly instances: AgentInstances;
  /** Called with each document that the agent uses after the one of its start. */
  documentApplied(applied: LoadedDocument): void;
};

/** Maximum size of the auth document, bytes. */
const maxAuthBytes = 1_048_576;

/** Everything that an agent reads from disk before it can run. */
export type StartInputs = {
  readonly plan: RealmPlan;
  /** Source of the plan. */
  readonly document: string;
  /** Time that loading it took, ms. */
  readonly loadedInMs: number;
  /** Undefined without `-auth-config`. */
  readonly auth: AuthPlan | undefined;
  readonly recovered: RecoveredJournal;
};

/** Waits for the document, the identities and the journal. Fails with the lines to print, and then leaves no file open. */
export async function readStartInputs(start: PendingStart): Promise<Result<StartInputs, ProgramExit>> {
  const loading = start.loading.then((loaded) => ({ loaded, tookMs: systemClock.monotonic() - start.loadingSinceMs }));
  const [auth, { loaded: plan, tookMs }, recovered] = await Promise.all([
    loadAuth(start.flags),
    loading,
    start.opening,
  ]);
  if (auth.ok && plan.ok && recovered.ok)
    return ok({ ...plan.value, loadedInMs: tookMs, auth: auth.value, recovered: recovered.value });
  if (recovered.ok) await recovered.value.close();
  if (!plan.ok) return cannotStart(...formatDiagnostics(plan.error));
  if (!auth.ok) return auth;
  return cannotStart(...(recovered.ok ? [] : [`realmwatch-agent: ${recovered.error}`]));
}

/** Loads the identities; undefined without `-auth-config`. */
export async function loadAuth({ authConfig }: AgentFlags): Promise<Result<AuthPlan | undefined, ProgramExit>> {
  if (authConfig === undefined) return ok(undefined);
  const loaded = await loadDocument({
    source: { kind: "path", path: authConfig, maxBytes: maxAuthBytes },
    compile: compileAuthDocument,
    schema: authDocument.schema,
    clock: systemClock,
  });
  return loaded.ok ? ok(loaded.value.value) : cannotStart(...formatDiagnostics(loaded.error));
}
