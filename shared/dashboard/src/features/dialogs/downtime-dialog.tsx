import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { useState } from "react";
import { useCommandClient } from "../../api/commands/command-availability.ts";
import { targetOfItem } from "../../api/commands/object-actions.ts";
import { useNow, usePreference } from "../../api/context/app-context.tsx";
import type { DisplayZone } from "../../api/context/preferences.ts";
import type { StatusItem } from "../../api/status/status-item.ts";
import { DialogFrame } from "../../components/controls/dialog-frame.tsx";
import {
  AuthorField,
  CheckField,
  ChoiceField,
  CommentField,
  FormField,
} from "../../components/controls/form-fields.tsx";
import { formatShortDateTime, formatZone } from "../../components/time/format-date-time.ts";
import { formatTimeSpan } from "../../components/time/format-time-span.ts";
import { fromInputValue, toInputValue } from "../../components/time/wall-time.ts";
import { CommandForm } from "./command-form.tsx";
import {
  type DowntimePreset,
  type DowntimeRange,
  downtimePresets,
  presetEndMs,
  timeRangeError,
  timeRangeWarning,
} from "./time-range.ts";

export function DowntimeDialog({ targets }: { targets: readonly StatusItem[] }) {
  const commands = useCommandClient();
  const nowMs = useNow();
  const zone = usePreference("zone");
  const author = usePreference("author");
  const [comment, setComment] = useState("");
  const [preset, setPreset] = useState<DowntimePreset>("2h");
  const [custom, setCustom] = useState<DowntimeRange>({ startMs: nowMs, endMs: nowMs + 7_200_000 });
  const [includeServices, setIncludeServices] = useState(true);
  const hosts = targets.filter(({ key }) => key.kind === "host").length;
  const range = preset === "custom" ? custom : { startMs: nowMs, endMs: presetEndMs(preset, nowMs, zone) };
  const warning = timeRangeWarning(range);
  const command = {
    label: "downtime",
    async send(item: StatusItem) {
      const { downtimeIds } = await commands.scheduleDowntime(item.realm, {
        target: targetOfItem(item),
        start: timestampFromMs(range.startMs ?? nowMs),
        end: timestampFromMs(range.endMs ?? nowMs),
        kind: { case: "fixed", value: {} },
        author,
        comment,
        includeServices: includeServices && item.key.kind === "host",
      });
      return (row: StatusItem["row"]) => row.downtimes.some(({ id }) => downtimeIds.includes(id));
    },
  };
  const problem =
    comment.trim() === "" ? "A comment is required: the reason for the downtime." : timeRangeError(range, nowMs);
  return (
    <DialogFrame title={targets.length === 1 ? "Schedule downtime" : `Schedule downtime for ${targets.length} objects`}>
      <CommandForm targets={targets} submit="Schedule" problem={problem} command={command}>
        <ChoiceField legend="Duration" choices={downtimePresets} value={preset} onChange={setPreset} />
        {preset === "custom" && <TimeRangeFields range={custom} onChange={setCustom} zone={zone} />}
        <TimeRangeText range={range} nowMs={nowMs} zone={zone} />
        {warning !== undefined && <p className="warning-text">{warning}</p>}
        {hosts > 0 && (
          <CheckField
            label="Include services"
            hint={
              hosts === 1
                ? "All services of the host get the same downtime."
                : `All services of the ${hosts} hosts get the same downtime.`
            }
            checked={includeServices}
            onChange={setIncludeServices}
          />
        )}
        <CommentField value={comment} onChange={setComment} required />
        <AuthorField />
      </CommandForm>
    </DialogFrame>
  );
}

type TimeRangeFieldsProps = { range: DowntimeRange; onChange: (range: DowntimeRange) => void; zone: DisplayZone };

function TimeRangeFields({ range, onChange, zone }: TimeRangeFieldsProps) {
  const shown = (atMs: number | undefined): string => (atMs === undefined ? "" : toInputValue(atMs, zone));
  return (
    <div className="field-pair">
      <FormField label="Start">
        {(id) => (
          <input
            id={id}
            type="datetime-local"
            value={shown(range.startMs)}
            onChange={(event) => onChange({ ...range, startMs: fromInputValue(event.target.value, zone) })}
          />
        )}
      </FormField>
      <FormField label="End">
        {(id) => (
          <input
            id={id}
            type="datetime-local"
            value={shown(range.endMs)}
            onChange={(event) => onChange({ ...range, endMs: fromInputValue(event.target.value, zone) })}
          />
        )}
      </FormField>
    </div>
  );
}

function TimeRangeText({
  range: { startMs, endMs },
  nowMs,
  zone,
}: {
  range: DowntimeRange;
  nowMs: number;
  zone: DisplayZone;
}) {
  if (startMs === undefined || endMs === undefined || endMs <= startMs) return null;
  const start = startMs <= nowMs ? "now" : formatShortDateTime(startMs, nowMs, zone);
  return (
    <p className="hint">
      From <strong>{start}</strong> until <strong>{formatShortDateTime(endMs, nowMs, zone)}</strong> (
      {formatTimeSpan(endMs - startMs)}), times in {formatZone(zone, endMs)}.
    </p>
  );
}
