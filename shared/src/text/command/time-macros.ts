import { formatInstant } from "../instant.ts";

/** Date and time macros in UTC, independent of the machine's time zone. `atMs`: Unix ms. */
export function timeMacros(atMs: number): Readonly<Record<string, string>> {
  const second = Math.floor(atMs / 1_000);
  const [date = "", time = ""] = formatInstant(second * 1_000)
    .replace("Z", "")
    .split("T");
  return {
    LONGDATETIME: `${date} ${time} UTC`,
    SHORTDATETIME: `${date} ${time}`,
    DATE: date,
    TIME: time,
    TIMET: String(second),
  };
}
