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
  downtimePresets,
  presetEndMs,
  type TimeRange,
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
  const [custom, setCustom] = useState<TimeRange>({ startMs: nowMs, endMs: nowMs + 7_200_000 });
  const [includeServices, setIncludeServices] = useState(true);
  const hosts = targets.filter(({ key }) => key.kind === "host").length;
  const span = preset === "custom" ? custom : { startMs: nowMs, endMs: presetEndMs(preset, nowMs, zone) };
  const warning = timeRangeWarning(span);
  const order = {
    label: "downtime",
    async send(item: StatusItem) {
      const { downtimeIds } = await commands.scheduleDowntime(item.realm, {
        target: targetOfItem(item),
        start: timestampFromMs(span.startMs ?? nowMs),
        end: timestampFromMs(span.endMs ?? nowMs),
        kind: { case: "fixed", value: {} },
        author,
        comment,
        includeServices: includeServices && item.key.kind === "host",
      });
      return (row: StatusItem["row"]) => row.downtimes.some(({ id }) => downtimeIds.includes(id));
    },
  };
  const problem = comment.trim() === "" ? "Say in a comment what the downtime is for." : timeRangeError(span, nowMs);
  return (
    <DialogFrame title={targets.length === 1 ? "Schedule downtime" : `Schedule downtime for ${targets.length} objects`}>
      <CommandForm targets={targets} submit="Schedule" problem={problem} order={order}>
        <ChoiceField legend="How long" choices={downtimePresets} value={preset} onChange={setPreset} />
        {preset === "custom" && <SpanFields span={custom} onChange={setCustom} zone={zone} />}
        <SpanText span={span} nowMs={nowMs} zone={zone} />
        {warning !== undefined && <p className="warning-text">{warning}</p>}
        {hosts > 0 && (
          <CheckField
            label="Include services"
            hint={
              hosts === 1
                ? "All services of the host get the same downtime."
                : `All services of the ${hosts} hosts too.`
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

function SpanFields({
  span,
  onChange,
  zone,
}: {
  span: TimeRange;
  onChange: (span: TimeRange) => void;
  zone: DisplayZone;
}) {
  const shown = (atMs: number | undefined): string => (atMs === undefined ? "" : toInputValue(atMs, zone));
  return (
    <div className="field-pair">
      <FormField label="Start">
        {(id) => (
          <input
            id={id}
            type="datetime-local"
            value={shown(span.startMs)}
            onChange={(event) => onChange({ ...span, startMs: fromInputValue(event.target.value, zone) })}
          />
        )}
      </FormField>
      <FormField label="End">
        {(id) => (
          <input
            id={id}
            type="datetime-local"
            value={shown(span.endMs)}
            onChange={(event) => onChange({ ...span, endMs: fromInputValue(event.target.value, zone) })}
          />
        )}
      </FormField>
    </div>
  );
}

function SpanText({ span: { startMs, endMs }, nowMs, zone }: { span: TimeRange; nowMs: number; zone: DisplayZone }) {
  if (startMs === undefined || endMs === undefined || endMs <= startMs) return null;
  const start = startMs <= nowMs ? "now" : formatShortDateTime(startMs, nowMs, zone);
  return (
    <p className="hint">
      From <strong>{start}</strong> until <strong>{formatShortDateTime(endMs, nowMs, zone)}</strong> (
      {formatTimeSpan(endMs - startMs)}), times in {formatZone(zone, endMs)}.
    </p>
  );
}
