import { type CivilDay, dateOf, dayOf } from "./civil-day.ts";
import type { Interval } from "./interval.ts";
import type { MinuteRange } from "./time-list.ts";

/** Converts between local wall-clock times of a time zone and Unix ms. */
export class Zone {
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
  openings(day: CivilDay, ranges: readonly MinuteRange[]): Interval[] {
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
  #dayBounds(day: CivilDay): { startMs: number; endMs: number; shifts: (Interval & { midnightMs: number })[] } {
    const [start, end] = [this.#startOf(day), this.#startOf(day + 1)];
    const midnightMs = (offsetNs: number): number => day * 86_400_000 - offsetNs / 1_000_000;
    const shifts: (Interval & { midnightMs: number })[] = [];
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
