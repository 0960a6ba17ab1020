import type { DisplayZone } from "../../api/context/preferences.ts";
import { nextHour } from "../../components/time/wall-time.ts";
import { dialogTexts } from "../../texts/dialog-texts.ts";

const minute = 60_000;
const hour = 60 * minute;

export const downtimePresets = [
  { value: "30m", label: dialogTexts.n30Minutes },
  { value: "2h", label: dialogTexts.n2Hours },
  { value: "tonight", label: dialogTexts.tonight22000200 },
  { value: "morning", label: dialogTexts.until0800 },
  { value: "monday", label: dialogTexts.untilMonday0800 },
  { value: "custom", label: dialogTexts.custom },
] as const;
export type DowntimePreset = (typeof downtimePresets)[number]["value"];

export const expiryPresets = [
  { value: "never", label: dialogTexts.never },
  { value: "1h", label: dialogTexts.in1Hour },
  { value: "4h", label: dialogTexts.in4Hours },
  { value: "morning", label: dialogTexts.at0800 },
  { value: "3d", label: dialogTexts.in3Days },
] as const;
export type ExpiryPreset = (typeof expiryPresets)[number]["value"];

/** End of a preset that starts at `nowMs`, Unix ms; undefined for `custom` and `never`. */
export function presetEndMs(
  preset: DowntimePreset | ExpiryPreset,
  nowMs: number,
  zone: DisplayZone,
): number | undefined {
  switch (preset) {
    case "30m":
      return nowMs + 30 * minute;
    case "1h":
      return nowMs + hour;
    case "2h":
      return nowMs + 2 * hour;
    case "4h":
      return nowMs + 4 * hour;
    case "3d":
      return nowMs + 72 * hour;
    case "morning":
      return nextHour(nowMs, 8, { zone });
    case "tonight":
      return nextHour(tonightStartMs(nowMs, zone), 2, { zone });
    case "monday":
      return nextHour(nowMs, 8, { zone, weekday: 1 });
    case "custom":
    case "never":
      return undefined;
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
  if (startMs === undefined || endMs === undefined) return dialogTexts.aDowntimeNeedsAStart;
  if (endMs <= startMs) return dialogTexts.theEndMustBeAfter;
  return endMs <= nowMs ? dialogTexts.theEndIsInThe : undefined;
}

/** Warning about an unusually long downtime; undefined when there is none. */
export function timeRangeWarning({ startMs, endMs }: DowntimeRange): string | undefined {
  const long = startMs !== undefined && endMs !== undefined && endMs - startMs > longDowntimeMs;
  return long ? dialogTexts.longerThan30DaysNotifications : undefined;
}
