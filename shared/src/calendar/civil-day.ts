/** Day of the Gregorian calendar without a time zone: number of days since 1970-01-01. */
export type CivilDay = number;

const msPerDay = 86_400_000;

/** Converts a date to a day. `month` is 1 to 12; a day past the end of the month is in the next month. */
export const dayOf = (year: number, month: number, day: number): CivilDay => {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return Math.floor(date.getTime() / msPerDay);
};

export type CivilDate = { readonly year: number; readonly month: number; readonly day: number };

export function dateOf(day: CivilDay): CivilDate {
  const date = new Date(day * msPerDay);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** Weekday from 0 (Sunday) to 6. */
export const weekdayOf = (day: CivilDay): number => (((day + 4) % 7) + 7) % 7;

export const daysInMonth = (year: number, month: number): number => dayOf(year, month + 1, 1) - dayOf(year, month, 1);

export const isDate = ({ year, month, day }: CivilDate): boolean =>
  month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
