import { downtimeIntervals } from "@realmwatch/shared/availability/downtime-intervals";
import type { HistoryCoverage } from "@realmwatch/shared/availability/evidence";
import { type Interval, union } from "@realmwatch/shared/availability/interval";
import type { ObjectTimeline } from "@realmwatch/shared/availability/object-availability";
import { noRecords, type ObjectRecords } from "@realmwatch/shared/availability/object-records";
import { statusPieces } from "@realmwatch/shared/availability/status-pieces";
import { type ObjectKey, refOf } from "@realmwatch/shared/model/object-key";
import type { MeasuredRealm } from "./measured-realm.ts";

export type TimelineOptions = {
  readonly range: Interval;
  readonly nowMs: number;
  readonly coverage: HistoryCoverage;
  /** Records by reference; for a service also those of its host. */
  readonly records: ReadonlyMap<string, ObjectRecords>;
  readonly realm: Pick<MeasuredRealm, "presentState">;
};

/** Reference of the host of a service. */
export const hostRefOf = ({ host }: Extract<ObjectKey, { kind: "service" }>): string =>
  refOf({ kind: "host", name: host });

/** [SL3] Past of one object. A downtime of the host counts for its services. */
export function objectTimeline(key: ObjectKey, options: TimelineOptions): ObjectTimeline {
  const { range, nowMs, coverage, records, realm } = options;
  // Before the beginning of the history no downtime is on record, so that the first record would seem to last for ever.
  const beginMs = Math.max(range.fromMs, coverage.sinceMs ?? nowMs);
  const until = { fromMs: beginMs, toMs: Math.max(beginMs, Math.min(range.toMs, nowMs)) };
  const downtimesOf = (ref: string): readonly Interval[] =>
    downtimeIntervals(records.get(ref) ?? noRecords, { range: until, present: realm.presentState(ref) });
  const ref = refOf(key);
  const own = downtimesOf(ref);
  return {
    pieces: statusPieces(records.get(ref) ?? noRecords, {
      range,
      present: realm.presentState(ref),
      configuredAtMs: coverage.configuredAtMs,
    }),
    downtimes: key.kind === "service" ? union([...own, ...downtimesOf(hostRefOf(key))]) : own,
  };
}
