import { type CivilDay, dateOf, dayOf } from "./civil-day.ts";
import { type DateExpression, firstDayOf, isOneDate, matchesDay, parseDateExpression } from "./date-expression.ts";
import { joinRanges, type MinuteRange, parseTimeList, type TimeList } from "./time-list.ts";

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
  occurrence(name: string, atMs: number): Opening | undefined;
}

/** Time span [fromMs, toMs) in which a period is open, Unix ms. */
export type Opening = { readonly fromMs: number; readonly toMs: number };
type Entry = { readonly expression: DateExpression; readonly times: TimeList };
type Period = { readonly zone: string; readonly entries: readonly Entry[]; readonly exclude: readonly string[] };

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

function compile({ timezone, ranges, exclude }: TimeperiodPlan): Period {
  const entries = Object.entries(ranges).flatMap(([key, value]) => {
    const expression = parseDateExpression(key);
    const times = parseTimeList(value);
    // Both were validated when the configuration was compiled.
    return expression.ok && times.ok ? [{ expression: expression.value, times: times.value }] : [];
  });
  return { zone: timezone, entries, exclude };
}

/** [TP5] Only the matching expressions of the smallest rank apply. Their times are merged; a closing one closes the day. */
function timesOn(period: Period, day: CivilDay): readonly MinuteRange[] {
  const matching = period.entries.filter(({ expression }) => matchesDay(expression, day));
  const rank = Math.min(...matching.map(({ expression }) => expression.rank));
  const winners = matching.filter(({ expression }) => expression.rank === rank).map(({ times }) => times);
  return winners.some(({ closed }) => closed) ? [] : joinRanges(winners.flatMap(({ ranges }) => ranges));
}

/** Converts between local wall-clock times of a time zone and Unix ms. */
class Zone {
  readonly #name: string;
  constructor(name: string) {
    this.#name = name;
  }

  dayAt(atMs: number): CivilDay {
    const local = Temporal.Instant.fromEpochMilliseconds(Math.floor(atMs)).toZonedDateTimeISO(this.#name);
    return dayOf(local.year, local.month, local.day);
  }

  /**
   * [TP6] Time spans in which the local clock shows a time in [from, to) of the day. Times skipped by a clock change
   * yield no span; times that occur twice yield two.
   */
  openings(day: CivilDay, ranges: readonly MinuteRange[]): Opening[] {
    const { startMs, endMs, shifts } = this.#dayBounds(day);
    return ranges.flatMap(({ from, to }) =>
      shifts.flatMap(({ fromMs, toMs, midnightMs }) => {
        const opening = {
          fromMs: Math.max(fromMs, startMs, midnightMs + from * 60_000),
          toMs: Math.min(toMs, endMs, midnightMs + to * 60_000),
        };
        return opening.fromMs < opening.toMs ? [opening] : [];
      }),
    );
  }

  /** Start and end of a day, split at changes of the offset. `midnightMs` is 00:00 by the offset of the part. */
  #dayBounds(day: CivilDay): { startMs: number; endMs: number; shifts: (Opening & { midnightMs: number })[] } {
    const [start, end] = [this.#startOf(day), this.#startOf(day + 1)];
    const midnightMs = (offsetNs: number): number => day * 86_400_000 - offsetNs / 1_000_000;
    const shifts: (Opening & { midnightMs: number })[] = [];
    let at = start;
    while (at.epochMilliseconds < end.epochMilliseconds) {
      const change = at.getTimeZoneTransition("next");
      const toMs = Math.min(change?.epochMilliseconds ?? Number.POSITIVE_INFINITY, end.epochMilliseconds);
      shifts.push({ fromMs: at.epochMilliseconds, toMs, midnightMs: midnightMs(at.offsetNanoseconds) });
      if (change === null || toMs === end.epochMilliseconds) break;
      at = change;
    }
    return { startMs: start.epochMilliseconds, endMs: end.epochMilliseconds, shifts };
  }

  #startOf(day: CivilDay): Temporal.ZonedDateTime {
    const { year, month, day: date } = dateOf(day);
    return new Temporal.PlainDate(year, month, date).toZonedDateTime(this.#name);
  }
}

const finite = (ms: number): number | undefined => (Number.isFinite(ms) ? ms : undefined);

/** Removes `holes` from `openings`. Both are sorted. */
function without(openings: readonly Opening[], holes: readonly Opening[]): Opening[] {
  return holes.reduce<Opening[]>(
    (left, hole) =>
      left.flatMap(({ fromMs, toMs }) =>
        [
          { fromMs, toMs: Math.min(toMs, hole.fromMs) },
          { fromMs: Math.max(fromMs, hole.toMs), toMs },
        ].filter((piece) => piece.fromMs < piece.toMs),
      ),
    [...openings],
  );
}

/** Creates the calendar of a plan's timeperiods. Openings are computed day by day and cached. */
export function openCalendar(timeperiods: ReadonlyMap<string, TimeperiodPlan>): Calendar {
  const periods = new Map([...timeperiods].map(([name, plan]) => [name, compile(plan)]));
  const zones = new Map<string, Zone>();
  const cache = new Map<string, Map<CivilDay, readonly Opening[]>>();
  /** Results of `laterOpening` by period: the opening that is the next one from `fromMs` on, infinite for none. */
  const later = new Map<string, { readonly fromMs: number; readonly opensAtMs: number }>();

  const zoneOf = (name: string): Zone => {
    const zone = zones.get(name) ?? new Zone(name);
    zones.set(name, zone);
    return zone;
  };

  /** Openings on a day in the period's time zone, sorted. */
  function openingsOn(name: string, period: Period, day: CivilDay): readonly Opening[] {
    const days = cache.get(name) ?? new Map<CivilDay, readonly Opening[]>();
    cache.set(name, days);
    const known = days.get(day);
    if (known !== undefined) return known;
    const own = zoneOf(period.zone)
      .openings(day, timesOn(period, day))
      .sort((a, b) => a.fromMs - b.fromMs);
    const openings = period.exclude.reduce<readonly Opening[]>((left, excluded) => {
      const [first, last] = [left[0], left.at(-1)];
      return first === undefined || last === undefined
        ? left
        : without(left, openingsIn(excluded, first.fromMs, last.toMs));
    }, own);
    if (days.size >= maxCachedDays) days.clear();
    days.set(day, openings);
    return openings;
  }

  /** Openings on all days that touch [fromMs, toMs). An unknown period is always open. */
  function openingsIn(name: string, fromMs: number, toMs: number): Opening[] {
    const period = periods.get(name);
    if (period === undefined) return [{ fromMs, toMs }];
    const zone = zoneOf(period.zone);
    const openings: Opening[] = [];
    for (let day = zone.dayAt(fromMs); day <= zone.dayAt(toMs); day += 1)
      openings.push(...openingsOn(name, period, day));
    return openings;
  }

  /** Calls `find` with the openings from the day of `atMs` on until it returns a value. */
  function search(name: string, atMs: number, find: (opening: Opening) => number | undefined): number | undefined {
    const period = periods.get(name);
    if (period === undefined) return undefined;
    const first = zoneOf(period.zone).dayAt(atMs);
    for (let day = first; day <= first + horizonDays; day += 1)
      for (const opening of openingsOn(name, period, day)) {
        const found = find(opening);
        if (found !== undefined) return found;
      }
    return undefined;
  }

  /** Days beyond those that `nextOpen` searches: what recurs, and the dates after that. Each is examined once. */
  function* laterDays({ entries }: Period, first: CivilDay): Iterable<CivilDay> {
    let searchedTo = first + horizonDays;
    const begins = entries.flatMap(({ expression }) => firstDayOf(expression) ?? []).sort((a, b) => a - b);
    const recurring = { from: searchedTo + 1, days: occurrenceDays - horizonDays };
    const dated = begins.map((from) => ({ from, days: horizonDays }));
    const spans = entries.every(({ expression }) => isOneDate(expression)) ? dated : [recurring, ...dated];
    for (const { from, days } of spans)
      for (let day = Math.max(from, searchedTo + 1); day < from + days; day += 1) {
        searchedTo = day;
        yield day;
      }
  }

  /**
   * [TP9] First opening beyond the days that `nextOpen` searches. Only days that an expression matches cost more than a
   * comparison, and a search is repeated only for a time that an earlier one does not cover.
   */
  function laterOpening(name: string, atMs: number): number | undefined {
    const period = periods.get(name);
    if (period === undefined) return undefined;
    const known = later.get(name);
    if (known !== undefined && known.fromMs <= atMs && atMs <= known.opensAtMs) return finite(known.opensAtMs);
    let opensAtMs = Number.POSITIVE_INFINITY;
    for (const day of laterDays(period, zoneOf(period.zone).dayAt(atMs))) {
      const [opening] = timesOn(period, day).length === 0 ? [] : openingsOn(name, period, day);
      if (opening === undefined) continue;
      opensAtMs = opening.fromMs;
      break;
    }
    later.set(name, { fromMs: atMs, opensAtMs });
    return finite(opensAtMs);
  }

  /**
   * [TP9] Start (`step` -1) or end (1) of the merged opening that contains `atMs`. A time zone may skip a day, so that one
   * day without an opening does not end the search.
   */
  function edgeOf(name: string, atMs: number, step: 1 | -1): number {
    const period = periods.get(name);
    if (period === undefined) return atMs;
    const first = zoneOf(period.zone).dayAt(atMs);
    let edgeMs = atMs;
    for (let n = 0, unchangedDays = 0; n <= followedDays && unchangedDays < 2; n += 1) {
      const before = edgeMs;
      const openings = openingsOn(name, period, first + step * n);
      for (const { fromMs, toMs } of step === 1 ? openings : openings.toReversed()) {
        if (fromMs > edgeMs || toMs < edgeMs) continue;
        edgeMs = step === 1 ? toMs : fromMs;
      }
      unchangedDays = n > 0 && edgeMs === before ? unchangedDays + 1 : 0;
    }
    return edgeMs;
  }

  const isOpen = (name: string, atMs: number): boolean => {
    const period = periods.get(name);
    if (period === undefined) return true;
    const day = zoneOf(period.zone).dayAt(atMs);
    return openingsOn(name, period, day).some(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs);
  };

  const nextOpen = (name: string, atMs: number): number | undefined =>
    isOpen(name, atMs) ? atMs : search(name, atMs, ({ fromMs }) => (fromMs > atMs ? fromMs : undefined));

  return {
    isOpen,
    nextOpen,
    nextClose(name, atMs) {
      if (!isOpen(name, atMs)) return atMs;
      let untilMs = atMs;
      const limitMs = atMs + horizonDays * 86_400_000;
      const found = search(name, atMs, ({ fromMs, toMs }) => {
        if (fromMs > untilMs) return untilMs;
        if (toMs > untilMs) untilMs = toMs;
        return undefined;
      });
      return found ?? (periods.has(name) && untilMs < limitMs ? untilMs : undefined);
    },
    occurrence(name, atMs) {
      const opensAtMs = periods.has(name) ? (nextOpen(name, atMs) ?? laterOpening(name, atMs)) : undefined;
      if (opensAtMs === undefined) return undefined;
      return { fromMs: edgeOf(name, opensAtMs, -1), toMs: edgeOf(name, opensAtMs, 1) };
    },
  };
}
