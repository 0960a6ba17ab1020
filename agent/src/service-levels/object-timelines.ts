import { downtimeIntervals } from "@realmwatch/shared/availability/downtime-intervals";
import type { HistoryCoverage } from "@realmwatch/shared/availability/evidence";
import { type Interval, union } from "@realmwatch/shared/availability/interval";
import type { ObjectTimeline } from "@realmwatch/shared/availability/object-availability";
import { noRecords, type ObjectRecords, type PresentState } from "@realmwatch/shared/availability/object-records";
import { statusPieces } from "@realmwatch/shared/availability/status-pieces";
import type { ObjectPlan } from "@realmwatch/shared/config/plan";
import type { RealmReader } from "../realm/state/realm-reader.ts";

export type TimelineOptions = {
  readonly range: Interval;
  readonly nowMs: number;
  readonly coverage: HistoryCoverage;
  /** Records by reference; for a service also those of its host. */
  readonly records: ReadonlyMap<string, ObjectRecords>;
  readonly realm: Pick<RealmReader, "records">;
};

const unknownObject: PresentState = {
  lastHardStatus: "pending",
  lastHardChangeAtMs: undefined,
  downtimeSinceMs: undefined,
};

function presentStateOf(realm: Pick<RealmReader, "records">, ref: string): PresentState {
  const state = realm.records.get(ref)?.state;
  if (state === undefined) return unknownObject;
  const { lastHardStatus, lastHardChangeAtMs, downtimes } = state;
  const starts = downtimes.flatMap(({ inEffect, startMs }) => (inEffect ? [startMs] : []));
  return {
    ...{ lastHardStatus, lastHardChangeAtMs },
    downtimeSinceMs: starts.length === 0 ? undefined : Math.min(...starts),
  };
}

/** [SL3] Past of one object. A downtime of the host counts for its services. */
export function objectTimeline(object: ObjectPlan, options: TimelineOptions): ObjectTimeline {
  const { range, nowMs, coverage, records, realm } = options;
  // Before the beginning of the history no downtime is on record, so that the first record would seem to last for ever.
  const beginMs = Math.max(range.fromMs, coverage.sinceMs ?? nowMs);
  const until = { fromMs: beginMs, toMs: Math.max(beginMs, Math.min(range.toMs, nowMs)) };
  const downtimesOf = (ref: string): readonly Interval[] =>
    downtimeIntervals(records.get(ref) ?? noRecords, { range: until, present: presentStateOf(realm, ref) });
  const own = downtimesOf(object.ref);
  return {
    pieces: statusPieces(records.get(object.ref) ?? noRecords, {
      range,
      present: presentStateOf(realm, object.ref),
      configuredAtMs: coverage.configuredAtMs,
    }),
    downtimes: "host" in object ? union([...own, ...downtimesOf(object.host)]) : own,
  };
}
