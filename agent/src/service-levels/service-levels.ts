import { downtimeIntervals } from "@realmwatch/shared/availability/downtime-intervals";
import { evidenceOf, type HistoryCoverage } from "@realmwatch/shared/availability/evidence";
import {
  measureObject,
  type ObjectTimeline,
  type ObjectTimes,
} from "@realmwatch/shared/availability/object-availability";
import { noRecords, type ObjectRecords } from "@realmwatch/shared/availability/object-records";
import { periodIntervals } from "@realmwatch/shared/availability/period-intervals";
import {
  achievedPercent,
  budgetLeft,
  burnRateOf,
  evidencePercent,
  sumUpDown,
  type UpDown,
} from "@realmwatch/shared/availability/service-level";
import { statusPieces } from "@realmwatch/shared/availability/status-pieces";
import { type Interval, intersect, union } from "@realmwatch/shared/calendar/interval";
import { openCalendar } from "@realmwatch/shared/calendar/timeperiod";
import type { SloPlan } from "@realmwatch/shared/config/plan";
import type { Clock } from "@realmwatch/shared/model/clock";
import { type ObjectKey, refOf } from "@realmwatch/shared/model/object-key";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { limitedQueue } from "@realmwatch/shared/read-model/limited-queue";
import type { ObjectMetadata } from "@realmwatch/shared/row/row";
import type { JournalQueries } from "../journal/journal-queries.ts";
import type { MeasuredRealm } from "./measured-realm.ts";
import { sloMembers, workSlicer } from "./slo-members.ts";

type AvailabilityQuery = {
  /** Name of an objective; empty for all. */
  readonly slo: string;
  readonly range: Interval;
};

/** Achievement of one service level objective. */
export type SloReport = {
  readonly slo: SloPlan;
  /** Percent; undefined, like the budget, when no time counts. */
  readonly achieved: number | undefined;
  readonly budgetLeft: number | undefined;
  /** Undefined when no time of the last hour of the range counts. */
  readonly burnRate: number | undefined;
  /** Percent. */
  readonly evidence: number;
  readonly objects: readonly {
    readonly about: ObjectMetadata;
    readonly times: ObjectTimes;
    readonly evidence: number;
  }[];
};

type ServiceLevelsOptions = {
  readonly realm: MeasuredRealm;
  readonly journal: Pick<JournalQueries, "objectRecords" | "coverage">;
  readonly clock: Clock;
};

/** Span at the end of a range by which the burn rate is measured, ms. */
const burnRateSpanMs = 3_600_000;
/** Objects whose records are in memory at the same time. */
const objectsPerSlice = 250;
/** Most queries that run or wait; each may read the history of all objects. */
const maxQueries = 16;

/** Computes availability from the history of the realm. */
export class ServiceLevels {
  readonly #realm: ServiceLevelsOptions["realm"];
  readonly #journal: ServiceLevelsOptions["journal"];
  readonly #clock: Clock;
  readonly #members: ReturnType<typeof sloMembers>;
  readonly #enqueue = limitedQueue(maxQueries, "too many availability queries wait: try again in a moment");

  constructor({ realm, journal, clock }: ServiceLevelsOptions) {
    this.#realm = realm;
    this.#journal = journal;
    this.#clock = clock;
    this.#members = sloMembers(realm, clock);
  }

  /** `missing`: no such objective. `exhausted`: too many queries wait. */
  report({ slo: name, range }: AvailabilityQuery): Promise<Result<readonly SloReport[], Refusal>> {
    return this.#enqueue(async () => {
      const slos = this.#realm.plan.slos.filter((slo) => name === "" || slo.name === name);
      if (name !== "" && slos.length === 0)
        return fail({ kind: "missing", what: `slo: service level objective ${JSON.stringify(name)}` });
      const reports: SloReport[] = [];
      for (const slo of slos) {
        const report = await this.#reportOf(slo, range);
        if (!report.ok) return report;
        reports.push(report.value);
      }
      return ok(reports);
    });
  }

  /** Time up and down of an objective in windows that end now, in the order of `windowsMs`. */
  recent(slo: SloPlan, windowsMs: readonly number[]): Promise<Result<readonly UpDown[], Refusal>> {
    return this.#enqueue(async () => {
      const nowMs = this.#clock.now();
      const spans = windowsMs.map((windowMs) => ({ fromMs: nowMs - windowMs, toMs: nowMs }));
      const range = { fromMs: nowMs - Math.max(...windowsMs), toMs: nowMs };
      const coverage = await this.#journal.coverage(range);
      if (!coverage.ok) return coverage;
      const found = await this.#measure(slo, { range, spans, nowMs, coverage: coverage.value });
      if (!found.ok) return found;
      return ok(windowsMs.map((_, at) => sumUpDown(timesOf(found.value, at), slo.downStatuses)));
    });
  }

  /** Measures each object in each of the spans, which are parts of the range. */
  async #measure(
    slo: SloPlan,
    { range, spans, nowMs, coverage }: Pick<TimelineOptions, "range" | "nowMs" | "coverage"> & { spans: Interval[] },
  ): Promise<Result<{ about: ObjectMetadata; times: ObjectTimes[] }[], Refusal>> {
    const open = periodIntervals(openCalendar(this.#realm.plan.timeperiods), slo.period, range);
    const measured = spans.map((span) => intersect(open, [span]));
    const evidence = evidenceOf(coverage, range, nowMs);
    const objects = await this.#members(slo);
    const found: { about: ObjectMetadata; times: ObjectTimes[] }[] = [];
    const yieldIfDue = workSlicer(this.#clock);
    for (let at = 0; at < objects.length; at += objectsPerSlice) {
      const slice = objects.slice(at, at + objectsPerSlice);
      const refs = new Set(
        slice.flatMap(({ key }) => (key.kind === "service" ? [refOf(key), hostRefOf(key)] : [refOf(key)])),
      );
      const records = await this.#journal.objectRecords([...refs], { ...range, toMs: Math.min(range.toMs, nowMs) });
      if (!records.ok) return records;
      for (const about of slice) {
        const timeline = objectTimeline(about.key, {
          range,
          nowMs,
          coverage,
          records: records.value,
          realm: this.#realm,
        });
        const { excludeDowntimes } = slo;
        const times = measured.map((span) => measureObject(timeline, { measured: span, evidence, excludeDowntimes }));
        found.push({ about, times });
        await yieldIfDue();
      }
    }
    return ok(found);
  }

  async #reportOf(slo: SloPlan, range: Interval): Promise<Result<SloReport, Refusal>> {
    const nowMs = this.#clock.now();
    const coverage = await this.#journal.coverage(range);
    if (!coverage.ok) return coverage;
    const lastHour = { fromMs: Math.max(range.fromMs, range.toMs - burnRateSpanMs), toMs: range.toMs };
    const found = await this.#measure(slo, { range, spans: [range, lastHour], nowMs, coverage: coverage.value });
    if (!found.ok) return found;
    const { downStatuses, target, excludeDowntimes } = slo;
    const times = timesOf(found.value, 0);
    const total = sumUpDown(times, downStatuses);
    return ok({
      slo,
      achieved: achievedPercent(total),
      budgetLeft: budgetLeft(total, target),
      burnRate: burnRateOf(sumUpDown(timesOf(found.value, 1), downStatuses), target),
      evidence: evidencePercent(times, excludeDowntimes),
      objects: found.value.flatMap(({ about, times: [own] }) =>
        own === undefined ? [] : [{ about, times: own, evidence: evidencePercent([own], excludeDowntimes) }],
      ),
    });
  }
}

const timesOf = (objects: readonly { readonly times: readonly ObjectTimes[] }[], at: number): ObjectTimes[] =>
  objects.flatMap(({ times }) => times[at] ?? []);

type TimelineOptions = {
  readonly range: Interval;
  readonly nowMs: number;
  readonly coverage: HistoryCoverage;
  /** Records by reference; for a service also those of its host. */
  readonly records: ReadonlyMap<string, ObjectRecords>;
  readonly realm: Pick<MeasuredRealm, "presentState">;
};

/** Reference of the host of a service. */
const hostRefOf = ({ host }: Extract<ObjectKey, { kind: "service" }>): string => refOf({ kind: "host", name: host });

/** [SL3] Past of one object. A downtime of the host counts for its services. */
function objectTimeline(key: ObjectKey, options: TimelineOptions): ObjectTimeline {
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
