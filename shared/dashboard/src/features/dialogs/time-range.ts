import { never } from "@realmwatch/shared/model/never";
import type { DisplayZone } from "../../api/context/preferences.ts";
import { nextHour, parseSpanMs, shiftChanges } from "../../components/time/wall-time.ts";

const hour = 3_600_000;

export const downtimePresets = [
  { value: "30m", label: "30 minutes" },
  { value: "2h", label: "2 hours" },
  { value: "tonight", label: "Tonight 22:00–02:00" },
  { value: "morning", label: "Until 08:00" },
  { value: "monday", label: "Until Monday 08:00" },
  { value: "custom", label: "Custom" },
] as const;
export type DowntimePreset = (typeof downtimePresets)[number]["value"];

export const expiryPresets = [
  { value: "never", label: "Never" },
  { value: "1h", label: "In 1 hour" },
  { value: "4h", label: "In 4 hours" },
  { value: "morning", label: "At 08:00" },
  { value: "3d", label: "In 3 days" },
] as const;
export type ExpiryPreset = (typeof expiryPresets)[number]["value"];

export const mutePresets = [
  { value: "1h", label: "In 1 hour" },
  { value: "4h", label: "In 4 hours" },
  { value: "shift", label: "With the shift" },
  { value: "morning", label: "At 08:00" },
  { value: "custom", label: "Date and time" },
  { value: "never", label: "When undone" },
] as const;
export type MutePreset = (typeof mutePresets)[number]["value"];

/** End of a preset that starts at `nowMs`, Unix ms; undefined for `custom` and `never`. */
export function presetEndMs(
  preset: DowntimePreset | ExpiryPreset | MutePreset,
  nowMs: number,
  zone: DisplayZone,
): number | undefined {
  switch (preset) {
    case "30m":
    case "1h":
    case "2h":
    case "4h":
    case "3d":
      return nowMs + (parseSpanMs(preset) ?? 0);
    case "shift":
      return Math.min(...shiftChanges.map((hour) => nextHour(nowMs, Number(hour.slice(0, 2)), { zone })));
    case "morning":
      return nextHour(nowMs, 8, { zone });
    case "tonight":
      return nextHour(tonightStartMs(nowMs, zone), 2, { zone });
    case "monday":
      return nextHour(nowMs, 8, { zone, weekday: 1 });
    case "custom":
    case "never":
      return undefined;
    default:
      return never(preset);
  }
}

/** Next 22:00, or `nowMs` when it is between 22:00 and 02:00. Unix ms. */
function tonightStartMs(nowMs: number, zone: DisplayZone): number {
  const [startMs, endMs] = [nextHour(nowMs, 22, { zone }), nextHour(nowMs, 2, { zone })];
  return endMs < startMs && endMs - nowMs <= 4 * hour ? nowMs : startMs;
}

/** Range of a preset that is chosen at `nowMs`, Unix ms. */
export const presetRange = (preset: DowntimePreset, nowMs: number, zone: DisplayZone): DowntimeRange => ({
  startMs: preset === "tonight" ? tonightStartMs(nowMs, zone) : nowMs,
  endMs: presetEndMs(preset, nowMs, zone),
});

const longDowntimeMs = 30 * 24 * hour;

export type DowntimeRange = { startMs: number | undefined; endMs: number | undefined };

/** Reason why the range is not valid for a downtime; undefined when it is. */
export function timeRangeError({ startMs, endMs }: DowntimeRange, nowMs: number): string | undefined {
  if (startMs === undefined || endMs === undefined) return "A downtime needs a start and an end.";
  if (endMs <= startMs) return "The end must be after the start.";
  return endMs <= nowMs ? "The end is in the past." : undefined;
}

/** Warning about an unusually long downtime; undefined for a usual one. */
export function timeRangeWarning({ startMs, endMs }: DowntimeRange): string | undefined {
  const long = startMs !== undefined && endMs !== undefined && endMs - startMs > longDowntimeMs;
  return long ? "Longer than 30 days: notifications are suppressed for the whole time." : undefined;
}
