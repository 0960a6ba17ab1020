import type { SinkPlan } from "@realmwatch/shared/config/plan";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { HistoryRecord } from "@realmwatch/shared/model/history";
import type { PerfPoint } from "@realmwatch/shared/model/perfdata";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { RandomSource } from "@realmwatch/shared/platform/random";
import type { SelectorSubject } from "@realmwatch/shared/text/selector/selector";
import type { DeliveryFailure, FailureReason } from "../platform/outbound/delivery-result.ts";
import type { OutboundHttp } from "../platform/outbound/outbound-http.ts";
import type { SinkRight } from "./thread/sink-right.ts";

/**
 * Result of one attempt to deliver a batch.
 *
 * - `delivered`: the receiver has the batch. `dropped`: number of its entries that the receiver refused for good.
 * - `held`: the writer keeps the batch and delivers it with later ones; `flush` returns its result
 * - `retry`: try again, not before `afterMs`
 * - `rejected`: the receiver will never take the batch
 */
export type SinkSendResult =
  | { readonly kind: "delivered"; readonly dropped?: number; readonly reason?: FailureReason }
  | { readonly kind: "held" }
  | DeliveryFailure;

/** Properties of an object that sinks write and that their selectors match. */
export type SinkObject = Pick<SelectorSubject, "key" | "labels" | "zone" | "checkType" | "parents">;

/**
 * One point of performance data with the plugin's own value and unit. Without a value the label has none in this result
 * and had one in the result before: its series has ended. The other fields are then those of the result before.
 */
export type MetricEntry = PerfPoint & {
  readonly object: SinkObject;
  /** Start of the check, Unix ms. */
  readonly atMs: number;
};

/** One record of the realm's history, with its object as far as it is known. */
export type EventEntry = {
  readonly record: HistoryRecord;
  /** Undefined for a record about the whole realm. */
  readonly object: SinkObject | undefined;
};

/** Entries of one batch, in their order. */
export type SinkBatch =
  | { readonly input: "metrics"; readonly entries: readonly MetricEntry[] }
  | { readonly input: "events"; readonly entries: readonly EventEntry[] };

/** Writes batches to one receiver. Calls never overlap, except for `close` and `reopen`. */
export interface SinkWriter {
  /** Delivers a batch. Never rejects. A batch that was not delivered is offered again, perhaps with more entries. */
  send(batch: SinkBatch, signal: AbortSignal): Promise<SinkSendResult>;
  /** Longest time that the first entry of a batch waits for others, ms. Default: the sink's `flush_interval`. */
  readonly batchDelayMs?: number;
  /** True when a batch has no timeout in a pair either: a program of this machine takes it when it is ready. */
  readonly isPatient?: true;
  /** Time at which held entries are to be flushed, on the monotonic clock, ms; undefined while none is held. */
  flushAtMs?(): number | undefined;
  /** Delivers held entries. Never rejects. */
  flush?(signal: AbortSignal): Promise<SinkSendResult>;
  /** Opens files by their names again. */
  reopen?(): void;
  /** Releases everything. Held entries are not delivered. */
  close(): Promise<void>;
}

/** Services that writers use. */
export type SinkDependencies = {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly log: Pick<Log, "info" | "warn">;
  readonly realm: string;
  /** Folder for a sink's own files in the data directory, which exists. */
  readonly stateDir: string;
  /** Environment of the agent, for the credentials of object stores. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Environment of programs. */
  readonly programEnv: Readonly<Record<string, string>>;
  /** Beginning of the marks of programs; unique on this machine. */
  readonly programMark: string;
  readonly http: OutboundHttp;
  /** Right of a pair's member; undefined for an agent without a pair. */
  readonly right?: SinkRight | undefined;
};

type SinkPlanOf<T extends SinkPlan["type"]> = Extract<SinkPlan, { readonly type: T }>;

/** Sink type: opens the writer of a sink. */
export type SinkWriterType<T extends SinkPlan["type"]> = {
  readonly open: (plan: SinkPlanOf<T>, dependencies: SinkDependencies) => SinkWriter;
  /** Longest time that the sink waits for its receiver, ms; absent for those that write to this machine. */
  readonly timeoutMs?: number;
  /** True when the sink resumes after a restart although its configuration has no cursor. */
  readonly alwaysResumes?: true;
};
