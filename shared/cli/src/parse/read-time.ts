import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { parseDuration } from "@realmwatch/shared/text/duration";
import { parseInstant } from "@realmwatch/shared/text/instant";

export type TimeFrame = {
  /** What relative times count from, Unix ms. */
  readonly fromMs: number;
  /** IANA name of the zone that times without an offset are of. */
  readonly zone: string;
  /** Which way a bare duration or time of day points. */
  readonly towards: "past" | "future";
};

const help = "write 22:00, 2026-03-29 22:00, an RFC 3339 instant, now, or a duration such as +90m";

/**
 * Reads a point in time as people write it: `now`, `+2h`, `-30m`, `2h` (see `towards`), `22:00` (the next or last
 * time clocks show it), `2026-03-29 22:00` in the local zone, or RFC 3339.
 *
 * @returns Unix ms; else why the text is none, as the end of a sentence about it
 */
export function readTime(text: string, frame: TimeFrame): Result<number, string> {
  const { fromMs, zone, towards } = frame;
  if (text === "now") return ok(fromMs);
  const relative = /^([+-]?)(\d.*|\.\d.*)$/.exec(text);
  const span = parseDuration(relative?.[2] ?? "");
  if (span.ok) return ok(fromMs + span.value * (isBackwards(relative?.[1] ?? "", towards) ? -1 : 1));
  const instant = parseInstant(text);
  if (instant.ok) return instant;
  return readLocal(text.replace(" ", "T"), { fromMs, zone, towards }) ?? fail(`is no time: ${help}`);
}

const isBackwards = (sign: string, towards: TimeFrame["towards"]): boolean =>
  sign === "" ? towards === "past" : sign === "-";

function readLocal(text: string, { fromMs, zone, towards }: TimeFrame): Result<number, string> | undefined {
  try {
    if (/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text))
      return ok(Temporal.PlainDateTime.from(text).toZonedDateTime(zone).epochMilliseconds);
    if (!/^\d\d:\d\d$/.test(text)) return undefined;
    const now = Temporal.Instant.fromEpochMilliseconds(fromMs).toZonedDateTimeISO(zone);
    const today = now.withPlainTime(text);
    const step = towards === "past" ? -1 : 1;
    const isAhead = Temporal.ZonedDateTime.compare(today, now) * step > 0;
    return ok((isAhead ? today : today.add({ days: step })).epochMilliseconds);
  } catch {
    return undefined;
  }
}
