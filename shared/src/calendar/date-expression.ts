import { never } from "../model/never.ts";
import { fail, ok, type Result } from "../model/result.ts";
import { type CivilDay, dateOf, dayOf, daysInMonth, isDate, weekdayOf } from "./civil-day.ts";

/** Start or end of a range. A negative `day` or `nth` counts from the end of the month. */
type Anchor =
  | { readonly kind: "date"; readonly year: number; readonly month: number; readonly day: number }
  | { readonly kind: "month_day"; readonly month: number; readonly day: number }
  | { readonly kind: "day"; readonly day: number }
  | { readonly kind: "weekday_of_month"; readonly weekday: number; readonly nth: number; readonly month: number }
  | { readonly kind: "nth_weekday"; readonly weekday: number; readonly nth: number };

/** Parsed date expression. On a day that several expressions match, only those with the smallest `rank` apply. */
export type DateExpression = {
  readonly rank: number;
  readonly days:
    | { readonly kind: "weekday"; readonly weekday: number }
    | { readonly kind: "range"; readonly from: Anchor; readonly to: Anchor | "open_end"; readonly every: number };
};

const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const months = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december",
];

const ranks = { date: 0, month_day: 1, day: 2, weekday_of_month: 3, nth_weekday: 4, weekday: 5 } as const;

/** Maximum step of a range, days: about ten years. */
const maxStep = 3660;

/**
 * Parses a key of a timeperiod's `ranges`: a weekday, a date, a day of a month or of every month, the n-th weekday of a
 * month or of every month, or a range of two of one kind, optionally with a step in days. Case-insensitive. Fails with a
 * sentence.
 */
export function parseDateExpression(text: string): Result<DateExpression, string> {
  const words = text.trim().toLowerCase().split(/\s+/);
  const weekday = weekdays.indexOf(words[0] ?? "");
  if (words.length === 1 && weekday >= 0) return ok({ rank: ranks.weekday, days: { kind: "weekday", weekday } });
  const step = takeStep(words);
  if (!step.ok) return step;
  const dash = words.indexOf("-");
  const from = parseAnchor(dash < 0 ? words : words.slice(0, dash));
  if (!from.ok) return from;
  const to = dash < 0 ? ok(undefined) : parseEnd(words.slice(dash + 1), from.value);
  if (!to.ok) return to;
  return range(from.value, to.value, step.value);
}

/** Removes ` / N` from the end and returns the step; default: 1. */
function takeStep(words: string[]): Result<number, string> {
  const slash = words.indexOf("/");
  if (slash < 0) return ok(1);
  const [step, ...rest] = words.splice(slash).slice(1);
  const every = Number(step);
  if (step === undefined || rest.length > 0 || !/^\d{1,4}$/.test(step) || every < 1 || every > maxStep)
    return fail(`after "/" there must be one number of days from 1 to ${maxStep}`);
  return ok(every);
}

function range(from: Anchor, to: Anchor | undefined, every: number): Result<DateExpression, string> {
  if (to !== undefined && to.kind !== from.kind) return fail("both ends of the range must be of one kind");
  if (to === undefined && every > 1 && from.kind !== "date") return fail("a step needs a range with two ends");
  if (from.kind === "date" && to?.kind === "date" && absolute(to) < absolute(from))
    return fail("the range ends before it begins");
  const end = to ?? (every > 1 ? "open_end" : from);
  return ok({ rank: ranks[from.kind], days: { kind: "range", from, to: end, every } });
}

const absolute = ({ year, month, day }: Extract<Anchor, { kind: "date" }>): CivilDay => dayOf(year, month, day);

const notUnderstood = (words: readonly string[]): Result<Anchor, string> =>
  fail(
    words.length === 0 || words[0] === ""
      ? "a date is missing"
      : `${JSON.stringify(words.join(" "))} is not a weekday, date, day of a month or weekday of a month`,
  );

function parseAnchor(words: readonly string[]): Result<Anchor, string> {
  const [first = "", second, third] = words;
  if (words.length === 1) return parseDate(first) ?? notUnderstood(words);
  const number = parseNumber(second);
  if (number === undefined || words.length > 3) return notUnderstood(words);
  const [weekday, month] = [weekdays.indexOf(first), months.indexOf(first) + 1];
  if (words.length === 2 && first === "day") return dayNumber(number, (day) => ({ kind: "day", day }));
  if (words.length === 2 && month > 0) return dayNumber(number, (day) => ({ kind: "month_day", month, day }));
  if (weekday < 0) return notUnderstood(words);
  if (words.length === 2) return nthNumber(number, (nth) => ({ kind: "nth_weekday", weekday, nth }));
  const ofMonth = months.indexOf(third ?? "") + 1;
  if (ofMonth === 0) return notUnderstood(words);
  return nthNumber(number, (nth) => ({ kind: "weekday_of_month", weekday, nth, month: ofMonth }));
}

/** Parses the end of a range. It may omit words that it shares with the start: `day 1 - 15`, `thursday 2 - 4`. */
function parseEnd(words: readonly string[], from: Anchor): Result<Anchor, string> {
  const number = words.length === 1 ? parseNumber(words[0]) : undefined;
  if (number === undefined) return parseAnchor(words);
  switch (from.kind) {
    case "month_day":
    case "day":
      return dayNumber(number, (day) => ({ ...from, day }));
    case "nth_weekday":
    case "weekday_of_month":
      return nthNumber(number, (nth) => ({ ...from, nth }));
    case "date":
      return notUnderstood(words);
    default:
      return never(from);
  }
}

function parseDate(text: string): Result<Anchor, string> | undefined {
  const parts = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text);
  if (parts === null) return undefined;
  const date = { year: Number(parts[1]), month: Number(parts[2]), day: Number(parts[3]) };
  return isDate(date) ? ok({ kind: "date", ...date }) : fail(`${text} is not a day of the calendar`);
}

const parseNumber = (text: string | undefined): number | undefined =>
  text !== undefined && /^-?\d{1,2}$/.test(text) ? Number(text) : undefined;

const dayNumber = (day: number, make: (day: number) => Anchor): Result<Anchor, string> =>
  day !== 0 && Math.abs(day) <= 31
    ? ok(make(day))
    : fail(`${day} is not a day of a month: 1 to 31, or -1 for the last`);

const nthNumber = (nth: number, make: (nth: number) => Anchor): Result<Anchor, string> =>
  nth !== 0 && Math.abs(nth) <= 5
    ? ok(make(nth))
    : fail(`${nth} counts no weekday of a month: 1 to 5, or -1 for the last`);

/** [TP2] A day past the month's end does not exist; as the end of a range it is the month's last. */
function dayInMonth(year: number, month: number, day: number, clamp: boolean): CivilDay | undefined {
  const last = daysInMonth(year, month);
  const number = day > 0 ? day : last + 1 + day;
  if (number >= 1 && number <= last) return dayOf(year, month, number);
  return clamp && number > last ? dayOf(year, month, last) : undefined;
}

function weekdayInMonth(
  year: number,
  month: number,
  { weekday, nth, clamp }: { weekday: number; nth: number; clamp: boolean },
): CivilDay | undefined {
  const last = daysInMonth(year, month);
  const firstOne = dayOf(year, month, 1 + ((weekday - weekdayOf(dayOf(year, month, 1)) + 7) % 7));
  const lastOne = dayOf(year, month, last - ((weekdayOf(dayOf(year, month, last)) - weekday + 7) % 7));
  const day = nth > 0 ? firstOne + 7 * (nth - 1) : lastOne + 7 * (nth + 1);
  if (day >= firstOne && day <= lastOne) return day;
  return clamp && day > lastOne ? dayOf(year, month, last) : undefined;
}

/** Day of an anchor in a year, and in a month if the anchor has none of its own. */
function resolve(anchor: Anchor, year: number, month: number, clamp: boolean): CivilDay | undefined {
  switch (anchor.kind) {
    case "date":
      return absolute(anchor);
    case "month_day":
      return dayInMonth(year, anchor.month, anchor.day, clamp);
    case "day":
      return dayInMonth(year, month, anchor.day, clamp);
    case "weekday_of_month":
      return weekdayInMonth(year, anchor.month, { ...anchor, clamp });
    case "nth_weekday":
      return weekdayInMonth(year, month, { ...anchor, clamp });
    default:
      return never(anchor);
  }
}

/** Years and months in which a range that covers the day may have started: the current and the previous one. */
function origins(anchor: Anchor, day: CivilDay): { year: number; month: number }[] {
  const { year, month } = dateOf(day);
  switch (anchor.kind) {
    case "date":
      return [{ year, month }];
    case "month_day":
    case "weekday_of_month":
      return [
        { year, month },
        { year: year - 1, month },
      ];
    case "day":
    case "nth_weekday":
      return [{ year, month }, month === 1 ? { year: year - 1, month: 12 } : { year, month: month - 1 }];
    default:
      return never(anchor);
  }
}

/** End of the range that starts at `begin`: in the same year or month, or in the next if that is before the start. */
function endOf(
  from: Anchor,
  to: Anchor,
  begin: CivilDay,
  origin: { year: number; month: number },
): CivilDay | undefined {
  const single = from === to;
  const same = resolve(to, origin.year, origin.month, !single);
  if (single || (same !== undefined && same >= begin)) return same;
  const yearly = from.kind === "month_day" || from.kind === "weekday_of_month";
  const next =
    yearly || origin.month === 12
      ? { year: origin.year + 1, month: yearly ? origin.month : 1 }
      : { year: origin.year, month: origin.month + 1 };
  return resolve(to, next.year, next.month, true);
}

/** [TP1-TP4] Returns true when the expression matches the day. A range may cross the end of a month or year. */
export function matchesDay({ days }: DateExpression, day: CivilDay): boolean {
  if (days.kind === "weekday") return weekdayOf(day) === days.weekday;
  const { from, to, every } = days;
  return origins(from, day).some((origin) => {
    const begin = resolve(from, origin.year, origin.month, false);
    if (begin === undefined || begin > day) return false;
    const end = to === "open_end" ? Number.POSITIVE_INFINITY : endOf(from, to, begin, origin);
    return end !== undefined && day <= end && (day - begin) % every === 0;
  });
}

/** First day of an expression that begins at a date of the calendar; undefined for one that recurs every year. */
export const firstDayOf = ({ days }: DateExpression): CivilDay | undefined =>
  days.kind === "range" && days.from.kind === "date" ? absolute(days.from) : undefined;

/** True for an expression that is one date of the calendar, which never recurs. */
export const isOneDate = ({ days }: DateExpression): boolean =>
  days.kind === "range" && days.from.kind === "date" && days.to === days.from;
