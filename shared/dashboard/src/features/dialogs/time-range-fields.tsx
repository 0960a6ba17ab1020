import type { DisplayZone } from "../../api/context/preferences.ts";
import { TextField } from "../../components/controls/form-fields.tsx";
import { parseWallTime } from "../../components/time/wall-time.ts";
import type { DowntimeRange } from "./time-range.ts";

/** Start and end as they were typed. */
type TypedRange = { readonly start: string; readonly end: string };

/** Range that was typed at `nowMs`, Unix ms. An end that is a time of day is the next one after the start. */
export function toRange({ start, end }: TypedRange, nowMs: number, zone: DisplayZone): DowntimeRange {
  const startMs = parseWallTime(start, nowMs, zone);
  return { startMs, endMs: parseWallTime(end, startMs ?? nowMs, zone) };
}

const forms = "22:00, tomorrow 6:30, 2026-03-01 22:00, +2h or now";

type TimeRangeFieldsProps = { typed: TypedRange; onChange: (typed: TypedRange) => void };

/** Text fields for start and end, with 24 hours. */
export function TimeRangeFields({ typed, onChange }: TimeRangeFieldsProps) {
  return (
    <div className="field-pair">
      <TextField label="Start" hint={forms} value={typed.start} onChange={(start) => onChange({ ...typed, start })} />
      <TextField
        label="End"
        hint="The next such time after the start; +2h counts from the start"
        value={typed.end}
        onChange={(end) => onChange({ ...typed, end })}
      />
    </div>
  );
}
