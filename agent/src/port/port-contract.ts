import type { Message } from "@bufbuild/protobuf";
import type { DependencyStatus } from "@realmwatch/shared/api/probe-pages";
import type { ProgramPorts } from "@realmwatch/shared/api/program-ports";
import type { CommandMethod } from "@realmwatch/shared/commands/command-kind";
import type { DocumentChange } from "@realmwatch/shared/config/diff/document-change";
import type { RealmPlan } from "@realmwatch/shared/config/plan";
import type { AuthPlan } from "@realmwatch/shared/identity/auth-document";
import type { AuditRecord } from "@realmwatch/shared/model/audit";
import type { Author } from "@realmwatch/shared/model/author";
import type { Catalog } from "@realmwatch/shared/model/catalog";
import type { ObjectKey } from "@realmwatch/shared/model/object-key";
import type { PairStatus } from "@realmwatch/shared/model/pair-status";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import type { Result } from "@realmwatch/shared/model/result";
import type { ThreadChannel } from "@realmwatch/shared/platform/process/thread-channel";
import type { HostedPort } from "@realmwatch/shared/port-host/port-host";
import type { MappedAlert } from "../alerts/mapped-alert.ts";
import type { ConfigChanges } from "../api/config-changes.ts";
import type { CommandAnswer, KeyedCall } from "../journal/command-answer.ts";
import type { MetricStore } from "../metric-store/metric-store.ts";
import type { AgentInstances } from "../publish/heartbeat/agent-instances.ts";
import type { ServedDocument } from "../realm/reload/active-configuration.ts";

/** Data that the port's thread starts with. */
export type PortStart = {
  /** Arguments from which the flags of the agent follow. */
  readonly args: readonly string[];
  readonly auth: AuthPlan | undefined;
  /** Key that signs sessions without `-session-secret`, so that they outlive the thread. */
  readonly processKey: Uint8Array;
  readonly instances: AgentInstances;
  /** Unique among all threads of all starts: revisions of another one are answered in full. */
  readonly generation: string;
  readonly cueVersion: string;
  readonly plan: PortPlan;
};

/** The parts of a plan that queries need, without its objects, and the number of entries of each kind. */
export type PortPlan = Pick<
  RealmPlan,
  "hash" | "timeperiods" | "slos" | "datasources" | "panels" | "receivers" | "availabilityRangeMs"
> & { readonly entries: Readonly<Record<string, number>> };

/** Functions of the port's thread, which the engine calls. */
export type PortFunctions = HostedPort & {
  /** Applies changes of rows, in their order, as `encodeChanges` returns them. */
  applyRows(changes: string): void;
  setCatalog(catalog: Catalog): void;
  setPlan(plan: PortPlan): void;
  /** Names the agent's process before this one. */
  setPreviousInstance(instance: string): void;
  /** Reads history from the journal that has been put in the place of the one before. */
  reopenJournal(): void;
  /** Refuses reads and commands as unavailable with a sentence; the empty one lets them through again. */
  setUnavailable(why: string): void;
  /** Removes the rows of earlier epochs: those of objects that the agent no longer has. */
  dropRowsBelow(epoch: number): void;
  dispatch: ProgramPorts["dispatch"];
};

/** Call of a command as the port has read it. */
export type CommandCall = {
  readonly method: CommandMethod;
  readonly request: Message;
  readonly by: Author;
  /** Undefined without an idempotency key. */
  readonly key: KeyedCall | undefined;
  /** True when an aggregator has forwarded it. */
  readonly isForwarded: boolean;
  /** Record of the accepted call; undefined when calls are not audited. */
  readonly audit: AuditRecord | undefined;
  /** Time that is left to begin it, ms. */
  readonly timeoutMs: number;
};

/** Call of ApplyConfig as the port has read it. */
export type ConfigCall = Pick<CommandCall, "key" | "timeoutMs"> & { readonly cue: string };

/** Answer to a call; `expired` when its time had passed before it was begun. */
export type CallOutcome<Answer> =
  | { readonly kind: "expired" }
  /** `isRepeated`: an earlier call with the same key got the answer. `isAudited`: the record is stored. */
  | { readonly kind: "answered"; readonly answer: Answer; readonly isRepeated: boolean; readonly isAudited: boolean };

/** Functions of the engine's thread, which the port calls. */
export type EngineFunctions = {
  /** Executes a command. Its effects have been sent to the port before the answer is. */
  executeCommand(call: CommandCall): Promise<CallOutcome<CommandAnswer>>;
  validateConfig(cue: string, listChanges: boolean): Promise<Result<ConfigChanges, Refusal>>;
  applyConfig(call: ConfigCall): Promise<Result<CallOutcome<DocumentChange | undefined>, Refusal>>;
  servedDocument(): Promise<Result<ServedDocument, Refusal>>;
  /** Check command of an object as text; empty for a process. */
  checkCommand(key: ObjectKey): Result<string, Refusal> | Promise<Result<string, Refusal>>;
  /** Stores alerts as check results; see `AlertIntake.submit`. */
  submitAlerts(
    alerts: readonly MappedAlert[],
    by: Author,
    audit: readonly AuditRecord[],
  ): Promise<Result<undefined, Refusal>>;
  recordAudit(record: AuditRecord): Promise<void>;
  noteDamagedRecord(what: string): void;
  /** Metrics that recordings have of an object; undefined while nothing is recorded. */
  recordedMetrics(...query: Parameters<MetricStore["metricsOf"]>): ReturnType<MetricStore["metricsOf"]> | undefined;
  recordedPoints(...query: Parameters<MetricStore["points"]>): ReturnType<MetricStore["points"]> | undefined;
  /** Metrics of the engine in the Prometheus text format. */
  renderMetrics(): Promise<string>;
  pairStatus(): PairStatus | undefined;
  switchPair(by: string): Promise<Result<PairStatus, string>>;
  promotePair(by: string, force: boolean): Promise<Result<PairStatus, string>>;
  followPair(frame: Uint8Array): Promise<Result<Uint8Array, string>>;
  /** @param readError reason why the port cannot read history; empty when it can */
  dependencies(readError: string): readonly DependencyStatus[];
};

/** The port's way to the engine. */
export type EngineChannel = Pick<ThreadChannel<EngineFunctions>, "request" | "tell">;
