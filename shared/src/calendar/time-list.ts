import { fail, ok, type Result } from "../model/result.ts";

/** Minutes of a local day: [from, to). */
export type MinuteRange = { readonly from: number; readonly to: number };
/** Open times of a day: sorted and disjoint. `closed` is true when the list contains `00:00-00:00`. */
export type TimeList = { readonly closed: boolean; readonly ranges: readonly MinuteRange[] };

/** Parses `HH:MM-HH:MM,…`; `00:00-00:00` closes the day. Ranges must not cross midnight. */
export function parseTimeList(text: string): Result<TimeList, string> {
  const ranges: MinuteRange[] = [];
  let closed = false;
  for (const part of text.split(",")) {
    const range = parseRange(part.trim());
    if (!range.ok) return range;
    if (range.value.from === 0 && range.value.to === 0) closed = true;
    else ranges.push(range.value);
  }
  return ok({ closed, ranges: joinRanges(ranges) });
}

function parseRange(text: string): Result<MinuteRange, string> {
  const parts = /^(\d{1,2}):(\d{2})\s*-\s*(\d{1,2}):(\d{2})$/.exec(text);
  if (parts === null) return fail(`${JSON.stringify(text)} is not a time range: write HH:MM-HH:MM`);
  const [fromHour = 0, fromMinute = 0, toHour = 0, toMinute = 0] = parts.slice(1).map(Number);
  const [from, to] = [fromHour * 60 + fromMinute, toHour * 60 + toMinute];
  if (fromMinute > 59 || toMinute > 59 || from > 1440 || to > 1440)
    return fail(`${JSON.stringify(text)} has a time that is not a time of day: 00:00 to 24:00`);
  if (from === 0 && to === 0) return ok({ from, to });
  return to > from
    ? ok({ from, to })
    : fail(`${JSON.stringify(text)} ends before it begins: over midnight, write two days`);
}

/** Sorts ranges and merges those that overlap or touch. */
export function joinRanges(ranges: readonly MinuteRange[]): readonly MinuteRange[] {
  const joined: MinuteRange[] = [];
  for (const range of [...ranges].sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last !== undefined && range.from <= last.to)
      joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
    else joined.push(range);
  }
  return joined;
}
