import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { parseDuration } from "@realmwatch/shared/text/duration";
import { parseInstant } from "@realmwatch/shared/text/instant";
import { timestampToProto } from "@realmwatch/shared/wire/fields/time";
import type { CliContext } from "../cli-command.ts";

export type TimeFrame = {
  /** Time that relative times count from, Unix ms. */
  readonly fromMs: number;
  /** IANA name of the zone of times without an offset. */
  readonly zone: string;
  /** Direction of a duration without sign, and of a time of day. */
  readonly direction: "past" | "future";
};

const help = "write 22:00, 2026-03-29, 2026-03-29 22:00, an RFC 3339 instant, now, or a duration such as +90m or 7d";

/**
 * Parses a point in time: `now`, `+2h`, `-30m`, `2h` or `7d` (see `direction`), `22:00` (the next or the last one),
 * `2026-03-29 22:00` and `2026-03-29` (its first instant) in the local zone, or RFC 3339. A day has 24 hours.
 *
 * @returns Unix ms; on failure the end of a sentence about the text
 */
export function readTime(text: string, frame: TimeFrame): Result<number, string> {
  const { fromMs, zone, direction } = frame;
  if (text === "now") return ok(fromMs);
  const relative = /^([+-]?)(\d.*|\.\d.*)$/.exec(text);
  const span = parseDuration(
    (relative?.[2] ?? "").replace(/^\d{1,4}d/, (days) => `${Number.parseInt(days, 10) * 24}h`),
  );
  if (span.ok) return ok(fromMs + span.value * (isBackwards(relative?.[1] ?? "", direction) ? -1 : 1));
  const instant = parseInstant(text);
  if (instant.ok) return instant;
  return readLocal(text.replace(" ", "T"), { fromMs, zone, direction }) ?? fail(`is not a time: ${help}`);
}

/**
 * Reads the flags with a point in time; those that were not given are left out. Fails with a sentence that names the flag.
 */
export function readTimeFlags<N extends string>(
  names: readonly N[],
  flags: Readonly<Record<N, string | undefined>>,
  { clock, zone }: Pick<CliContext, "clock" | "zone">,
  direction: TimeFrame["direction"] = "past",
): Result<{ readonly [K in N]?: Timestamp }, string> {
  const times: { [K in N]?: Timestamp } = {};
  for (const name of names) {
    const text: string | undefined = flags[name];
    if (text === undefined) continue;
    const time = readTime(text, { fromMs: clock.now(), zone, direction });
    if (!time.ok) return fail(`-${name}: ${JSON.stringify(text)} ${time.error}`);
    times[name] = timestampToProto(time.value);
  }
  return ok(times);
}

const isBackwards = (sign: string, direction: TimeFrame["direction"]): boolean =>
  sign === "" ? direction === "past" : sign === "-";

function readLocal(text: string, { fromMs, zone, direction }: TimeFrame): Result<number, string> | undefined {
  try {
    if (/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text))
      return ok(Temporal.PlainDateTime.from(text).toZonedDateTime(zone).epochMilliseconds);
    if (/^\d{4}-\d\d-\d\d$/.test(text))
      return ok(Temporal.PlainDate.from(text).toZonedDateTime(zone).epochMilliseconds);
    if (!/^\d\d:\d\d$/.test(text)) return undefined;
    const now = Temporal.Instant.fromEpochMilliseconds(fromMs).toZonedDateTimeISO(zone);
    const today = now.withPlainTime(text);
    const step = direction === "past" ? -1 : 1;
    const isAhead = Temporal.ZonedDateTime.compare(today, now) * step > 0;
    return ok((isAhead ? today : today.add({ days: step })).epochMilliseconds);
  } catch {
    return undefined;
  }
}
