import type { HistoryRecord } from "@realmwatch/shared/model/history";
import type { ObjectKey } from "@realmwatch/shared/model/object-key";
import type { PerfPoint } from "@realmwatch/shared/model/perfdata";
import type { Labels } from "@realmwatch/shared/model/row";

/** Properties of an object that sinks write and that their selectors match. */
export type SinkObject = {
  readonly key: ObjectKey;
  readonly labels: Labels;
  readonly zone: string;
  readonly checkType: string;
  readonly parents: readonly string[];
};

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
