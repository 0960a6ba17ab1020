import type { CivilDay } from "./civil-day.ts";
import { type DateExpression, firstDayOf, isOneDate, matchesDay, parseDateExpression } from "./date-expression.ts";
import { type Interval, subtract } from "./interval.ts";
import { joinRanges, type MinuteRange, parseTimeList, type TimeList } from "./time-list.ts";
import { Zone } from "./zone.ts";

/** Validated timeperiod. `openCalendar` parses the expressions; `timezone` is an IANA name. */
export type TimeperiodPlan = {
  readonly timezone: string;
  readonly ranges: Readonly<Record<string, string>>;
  readonly exclude: readonly string[];
};

/** Open times of timeperiods. Instants are Unix ms. An unknown or empty name is always open. */
export interface Calendar {
  isOpen(name: string, atMs: number): boolean;
  /** First instant from `atMs` on at which the period is open; undefined when it stays closed for two years. */
  nextOpen(name: string, atMs: number): number | undefined;
  /** First instant from `atMs` on at which the period is closed; undefined when it stays open for two years. */
  nextClose(name: string, atMs: number): number | undefined;
  /**
   * Opening that contains `atMs`, or else the next one. Adjacent openings are merged; an opening is followed for at most
   * one year in each direction. Undefined when the period never opens again, and for an unknown period.
   */
  occurrence(name: string, atMs: number): Interval | undefined;
}

type Entry = { readonly expression: DateExpression; readonly times: TimeList };

/** Number of days searched for the next opening or closing. */
const horizonDays = 731;
/**
 * Number of days searched for the next occurrence: everything that recurs does so within 40 years, such as the fifth
 * Monday of a February over a year without a leap day.
 */
const occurrenceDays = 14_976;
/** Number of days for which an occurrence is followed in each direction. */
const followedDays = 366;
/** Maximum number of days whose openings are cached for each period. */
const maxCachedDays = 800;

/** Compiled timeperiod. Its openings are computed day by day and cached. */
class Period {
  readonly #zone: Zone;
  readonly #entries: readonly Entry[];
  readonly #exclude: readonly string[];
  readonly #periods: ReadonlyMap<string, Period>;
  readonly #days = new Map<CivilDay, readonly Interval[]>();
  /** Result of the last search for a later opening: the next one from `fromMs` on, infinite for none. */
  #later = { fromMs: Number.POSITIVE_INFINITY, opensAtMs: Number.POSITIVE_INFINITY };

  /** @param periods all periods, of which this one may exclude some; read only after all are created */
  constructor({ timezone, ranges, exclude }: TimeperiodPlan, periods: ReadonlyMap<string, Period>) {
    this.#zone = new Zone(timezone);
    this.#exclude = exclude;
    this.#periods = periods;
    this.#entries = Object.entries(ranges).flatMap(([key, value]) => {
      const expression = parseDateExpression(key);
      const times = parseTimeList(value);
      // Both were validated when the configuration was compiled.
      return expression.ok && times.ok ? [{ expression: expression.value, times: times.value }] : [];
    });
  }

  isOpen(atMs: number): boolean {
    return this.#openingsOn(this.#zone.dayAt(atMs)).some(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs);
  }

  nextOpen(atMs: number): number | undefined {
    return this.isOpen(atMs) ? atMs : this.#search(atMs, ({ fromMs }) => (fromMs > atMs ? fromMs : undefined));
  }

  nextClose(atMs: number): number | undefined {
    if (!this.isOpen(atMs)) return atMs;
    let untilMs = atMs;
    const limitMs = atMs + horizonDays * 86_400_000;
    const found = this.#search(atMs, ({ fromMs, toMs }) => {
      if (fromMs > untilMs) return untilMs;
      if (toMs > untilMs) untilMs = toMs;
      return undefined;
    });
    return found ?? (untilMs < limitMs ? untilMs : undefined);
  }

  occurrence(atMs: number): Interval | undefined {
    const opensAtMs = this.nextOpen(atMs) ?? this.#laterOpening(atMs);
    if (opensAtMs === undefined) return undefined;
    return { fromMs: this.#edgeOf(opensAtMs, -1), toMs: this.#edgeOf(opensAtMs, 1) };
  }

  /** Openings on all days that touch the span. */
  openingsIn({ fromMs, toMs }: Interval): Interval[] {
    const openings: Interval[] = [];
    for (let day = this.#zone.dayAt(fromMs); day <= this.#zone.dayAt(toMs); day += 1)
      openings.push(...this.#openingsOn(day));
    return openings;
  }

  /** [TP5] Only the matching expressions of the smallest rank apply. Their times are merged; a closing one closes the day. */
  #timesOn(day: CivilDay): readonly MinuteRange[] {
    const matching = this.#entries.filter(({ expression }) => matchesDay(expression, day));
    const rank = Math.min(...matching.map(({ expression }) => expression.rank));
    const winners = matching.filter(({ expression }) => expression.rank === rank).map(({ times }) => times);
    return winners.some(({ closed }) => closed) ? [] : joinRanges(winners.flatMap(({ ranges }) => ranges));
  }

  /** Openings on a day in the period's time zone, sorted. */
  #openingsOn(day: CivilDay): readonly Interval[] {
    const known = this.#days.get(day);
    if (known !== undefined) return known;
    const own = this.#zone.openings(day, this.#timesOn(day)).sort((a, b) => a.fromMs - b.fromMs);
    const openings = this.#exclude.reduce<readonly Interval[]>((left, excluded) => {
      const [first, last] = [left[0], left.at(-1)];
      if (first === undefined || last === undefined) return left;
      const span = { fromMs: first.fromMs, toMs: last.toMs };
      // An unknown period is always open.
      return subtract(left, this.#periods.get(excluded)?.openingsIn(span) ?? [span]);
    }, own);
    if (this.#days.size >= maxCachedDays) this.#days.clear();
    this.#days.set(day, openings);
    return openings;
  }

  /** Calls `find` with the openings from the day of `atMs` on until it returns a value. */
  #search(atMs: number, find: (opening: Interval) => number | undefined): number | undefined {
    const first = this.#zone.dayAt(atMs);
    for (let day = first; day <= first + horizonDays; day += 1)
      for (const opening of this.#openingsOn(day)) {
        const found = find(opening);
        if (found !== undefined) return found;
      }
    return undefined;
  }

  /** Days beyond those that `nextOpen` searches: what recurs, and the dates after that. Each is examined once. */
  *#laterDays(first: CivilDay): Iterable<CivilDay> {
    let searchedTo = first + horizonDays;
    const expressions = this.#entries.map(({ expression }) => expression);
    const begins = expressions.flatMap((expression) => firstDayOf(expression) ?? []).sort((a, b) => a - b);
    const recurring = { from: searchedTo + 1, days: occurrenceDays - horizonDays };
    const dated = begins.map((from) => ({ from, days: horizonDays }));
    for (const { from, days } of expressions.every(isOneDate) ? dated : [recurring, ...dated])
      for (let day = Math.max(from, searchedTo + 1); day < from + days; day += 1) {
        searchedTo = day;
        yield day;
      }
  }

  /**
   * [TP9] First opening beyond the days that `nextOpen` searches. Only days that an expression matches cost more than a
   * comparison, and a search is repeated only for a time that an earlier one does not cover.
   */
  #laterOpening(atMs: number): number | undefined {
    const isKnown = this.#later.fromMs <= atMs && atMs <= this.#later.opensAtMs;
    if (!isKnown) this.#later = { fromMs: atMs, opensAtMs: this.#firstLaterOpening(atMs) };
    const { opensAtMs } = this.#later;
    return Number.isFinite(opensAtMs) ? opensAtMs : undefined;
  }

  #firstLaterOpening(atMs: number): number {
    for (const day of this.#laterDays(this.#zone.dayAt(atMs))) {
      const [opening] = this.#timesOn(day).length === 0 ? [] : this.#openingsOn(day);
      if (opening !== undefined) return opening.fromMs;
    }
    return Number.POSITIVE_INFINITY;
  }

  /**
   * [TP9] Start (`step` -1) or end (1) of the merged opening that contains `atMs`. A time zone may skip a day, so that one
   * day without an opening does not end the search.
   */
  #edgeOf(atMs: number, step: 1 | -1): number {
    const first = this.#zone.dayAt(atMs);
    let edgeMs = atMs;
    for (let n = 0, unchangedDays = 0; n <= followedDays && unchangedDays < 2; n += 1) {
      const before = edgeMs;
      const openings = this.#openingsOn(first + step * n);
      for (const { fromMs, toMs } of step === 1 ? openings : openings.toReversed()) {
        if (fromMs > edgeMs || toMs < edgeMs) continue;
        edgeMs = step === 1 ? toMs : fromMs;
      }
      unchangedDays = n > 0 && edgeMs === before ? unchangedDays + 1 : 0;
    }
    return edgeMs;
  }
}

/** Creates the calendar of a plan's timeperiods. */
export function openCalendar(timeperiods: ReadonlyMap<string, TimeperiodPlan>): Calendar {
  const periods = new Map<string, Period>();
  for (const [name, plan] of timeperiods) periods.set(name, new Period(plan, periods));
  return {
    isOpen: (name, atMs) => periods.get(name)?.isOpen(atMs) ?? true,
    nextOpen(name, atMs) {
      const period = periods.get(name);
      return period === undefined ? atMs : period.nextOpen(atMs);
    },
    nextClose: (name, atMs) => periods.get(name)?.nextClose(atMs),
    occurrence: (name, atMs) => periods.get(name)?.occurrence(atMs),
  };
}
