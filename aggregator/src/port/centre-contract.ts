import type { AuditLogReader } from "@realmwatch/shared/api/audit/list-audit-records";
import type { DependencyStatus } from "@realmwatch/shared/api/probe-pages";
import type { AuthPlan } from "@realmwatch/shared/identity/auth-document";
import type { AuditRecord } from "@realmwatch/shared/model/audit";
import type { Catalog } from "@realmwatch/shared/model/catalog";
import type { HistoryRecord } from "@realmwatch/shared/model/history";
import type { RealmView } from "@realmwatch/shared/model/realm";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import type { Result } from "@realmwatch/shared/model/result";
import type { Labels } from "@realmwatch/shared/model/row";
import type { ThreadChannel } from "@realmwatch/shared/platform/process/thread-channel";
import type { HostedPort } from "@realmwatch/shared/port-host/port-host";
import type { ForwardError, ForwardedCall } from "../forward/forwarded-calls.ts";
import type { RealmAnswer } from "../forward/realm-call.ts";
import type { HistoryClaim } from "../realms/history-page.ts";

/** Data that the port's thread starts with. */
export type CentrePortStart = {
  /** Arguments from which the flags of the aggregator follow. */
  readonly args: readonly string[];
  readonly auth: AuthPlan | undefined;
  /** Key that signs sessions without `-session-secret`, so that they outlive the thread. */
  readonly processKey: Uint8Array;
  /** Unique id of this process. */
  readonly instance: string;
};

/** Read model of one realms document in the port's thread. */
export type PortModelStart = {
  /** Unique among all read models of all processes: revisions of another one are answered in full. */
  readonly generation: string;
  /** Labels that the document gives to its realms, by realm. */
  readonly labels: ReadonlyMap<string, Labels>;
  /** Maximum number of history records in memory. */
  readonly historyRecords: number;
};

/** State of the centre as of one moment; the rows that the port holds when it receives it are those of that moment. */
export type CentreState = {
  /** Number of the read model that answers. */
  readonly model: number;
  readonly realms: readonly RealmView[];
  /** Reason why no query can be answered correctly; undefined when queries can be answered. */
  readonly unavailableReason: string | undefined;
  /** The same for queries of history. */
  readonly historyUnavailableReason: string | undefined;
  /** Reasons why the stored history of realms cannot be read, by realm. */
  readonly unreadableHistories: ReadonlyMap<string, string>;
  /** History records that each realm has; undefined for a realm that is not heard now. */
  readonly historyClaims: ReadonlyMap<string, HistoryClaim | undefined>;
};

/** Functions of the port's thread, which the main thread calls. */
export type CentrePortFunctions = HostedPort & {
  openModel(model: number, start: PortModelStart): void;
  closeModel(model: number): void;
  /** Applies changes of rows, in their order, as `encodeChanges` returns them. */
  applyRows(model: number, changes: string): void;
  dropRealmRowsBelow(model: number, realm: string, epoch: number): void;
  setCatalog(model: number, catalog: Catalog): void;
  /** Removes the rows, the catalog and the history of a realm. */
  forgetRealm(model: number, realm: string): void;
  addHistory(model: number, records: readonly HistoryRecord[]): void;
  /** Answers `wantState`. */
  setState(state: CentreState): void;
  /** Sets the realms to which calls can be forwarded. */
  setForwardedRealms(realms: readonly string[]): void;
  /** Sets the identity of the centre; empty while it is unknown. */
  setCentre(identity: string): void;
};

/** Functions of the main thread, which the port calls. */
export type CentreFunctions = {
  /** Has `setState` called soon. At most one such call waits. */
  wantState(): void;
  /** Forwards a call; `id` names it for `cancelForward`. */
  forward(id: number, call: ForwardedCall): Promise<Result<RealmAnswer, Refusal | ForwardError>>;
  /** Ends the wait for a call whose caller has disconnected. */
  cancelForward(id: number): void;
  historyDamaged(realm: string): void;
  recordAudit(record: AuditRecord): Promise<void>;
  auditRecords: AuditLogReader["auditRecords"];
  /** Metrics of the main thread in the Prometheus text format. */
  renderMetrics(): Promise<string>;
  dependencies(): readonly DependencyStatus[];
};

/** The port's way to the main thread. */
export type CentreChannel = Pick<ThreadChannel<CentreFunctions>, "request" | "tell">;
