import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { useState } from "react";
import type { StatusItem } from "../api/status-item.ts";
import { targetOf } from "../commands/object-actions.ts";
import { useCommands } from "../commands/realm-gate.ts";
import { useNow, usePreference } from "../services/services.tsx";
import { showDuration } from "../time/duration.ts";
import { type ShownZone, showShortInstant, showZone } from "../time/instant.ts";
import { fromInputValue, toInputValue } from "../time/wall-time.ts";
import { CommandForm } from "./command-form.tsx";
import { DialogFrame } from "./dialog-frame.tsx";
import { AuthorField, CheckField, Choices, CommentField, Field } from "./fields.tsx";
import { type DowntimePreset, downtimePresets, endOf, type Span, spanProblem, spanWarning } from "./time-span.ts";

export function DowntimeDialog({ targets }: { targets: readonly StatusItem[] }) {
  const commands = useCommands();
  const nowMs = useNow();
  const zone = usePreference("zone");
  const author = usePreference("author");
  const [comment, setComment] = useState("");
  const [preset, setPreset] = useState<DowntimePreset>("2h");
  const [custom, setCustom] = useState<Span>({ startMs: nowMs, endMs: nowMs + 7_200_000 });
  const [includeServices, setIncludeServices] = useState(true);
  const hosts = targets.filter(({ key }) => key.kind === "host").length;
  const span = preset === "custom" ? custom : { startMs: nowMs, endMs: endOf(preset, nowMs, zone) };
  const warning = spanWarning(span);
  const order = {
    what: "downtime",
    async send(item: StatusItem) {
      const { downtimeIds } = await commands.scheduleDowntime(item.realm, {
        target: targetOf(item),
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
  const problem = comment.trim() === "" ? "Say in a comment what the downtime is for." : spanProblem(span, nowMs);
  return (
    <DialogFrame title={targets.length === 1 ? "Schedule downtime" : `Schedule downtime for ${targets.length} objects`}>
      <CommandForm targets={targets} submit="Schedule" problem={problem} order={order}>
        <Choices legend="How long" choices={downtimePresets} value={preset} onChange={setPreset} />
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

function SpanFields({ span, onChange, zone }: { span: Span; onChange: (span: Span) => void; zone: ShownZone }) {
  const shown = (atMs: number | undefined): string => (atMs === undefined ? "" : toInputValue(atMs, zone));
  return (
    <div className="field-pair">
      <Field label="Start">
        {(id) => (
          <input
            id={id}
            type="datetime-local"
            value={shown(span.startMs)}
            onChange={(event) => onChange({ ...span, startMs: fromInputValue(event.target.value, zone) })}
          />
        )}
      </Field>
      <Field label="End">
        {(id) => (
          <input
            id={id}
            type="datetime-local"
            value={shown(span.endMs)}
            onChange={(event) => onChange({ ...span, endMs: fromInputValue(event.target.value, zone) })}
          />
        )}
      </Field>
    </div>
  );
}

function SpanText({ span: { startMs, endMs }, nowMs, zone }: { span: Span; nowMs: number; zone: ShownZone }) {
  if (startMs === undefined || endMs === undefined || endMs <= startMs) return null;
  const start = startMs <= nowMs ? "now" : showShortInstant(startMs, nowMs, zone);
  return (
    <p className="hint">
      From <strong>{start}</strong> until <strong>{showShortInstant(endMs, nowMs, zone)}</strong> (
      {showDuration(endMs - startMs)}), times in {showZone(zone, endMs)}.
    </p>
  );
}
