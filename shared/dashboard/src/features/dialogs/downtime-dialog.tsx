import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { ObjectKind } from "@realmwatch/proto/svc/v1/common_pb";
import { scheduleDowntimeCommand } from "@realmwatch/shared/commands/schedule-downtime";
import { type ReactNode, useState } from "react";
import { useSendBulk } from "../../api/commands/use-send-bulk.ts";
import { useNow, usePreference } from "../../api/context/app-context.tsx";
import type { DisplayZone } from "../../api/context/preferences.ts";
import { oneOfSelector } from "../../api/status/object-key.ts";
import { totalOf } from "../../api/status/status-counts.ts";
import type { StatusItem } from "../../api/status/status-item.ts";
import { useSummary } from "../../api/status/use-summary.ts";
import { AuthorField, CheckField, ChoiceField, CommentField } from "../../components/controls/form-fields.tsx";
import { formatShortDateTime, formatZone } from "../../components/time/format-date-time.ts";
import { formatTimeSpan } from "../../components/time/format-time-span.ts";
import { CommandForm } from "./command-form.tsx";
import { type DowntimeKindForm, downtimeKindError, wireDowntimeKind } from "./downtime-kind.ts";
import { DowntimeKindFields } from "./downtime-kind-fields.tsx";
import {
  type DowntimePreset,
  type DowntimeRange,
  downtimePresets,
  presetRange,
  timeRangeError,
  timeRangeWarning,
} from "./time-range.ts";
import { TimeRangeFields, toRange } from "./time-range-fields.tsx";

const { words } = scheduleDowntimeCommand;

/** Form to schedule downtimes, one for each target. `children` is the field that selects the targets. */
export function DowntimeDialog({ targets, children }: { targets: readonly StatusItem[]; children?: ReactNode }) {
  const { send, run } = useSendBulk(true);
  const nowMs = useNow();
  const zone = usePreference("zone");
  const author = usePreference("author");
  const [comment, setComment] = useState("");
  const [preset, setPreset] = useState<DowntimePreset>("2h");
  const [custom, setCustom] = useState({ start: "now", end: "+2h" });
  const [kind, setKind] = useState<DowntimeKindForm>({ kind: "fixed", lasts: "2h", triggeredBy: "" });
  const [includeServices, setIncludeServices] = useState(true);
  const hosts = targets.filter(({ key }) => key.kind === "host");
  const range = preset === "custom" ? toRange(custom, nowMs, zone) : presetRange(preset, nowMs, zone);
  const form = {
    label: words.noun,
    entered: { preset, custom: preset === "custom" ? custom : undefined, kind, includeServices, author, comment },
    command: () =>
      ({
        case: "scheduleDowntime",
        value: {
          start: timestampFromMs(range.startMs ?? nowMs),
          end: timestampFromMs(range.endMs ?? nowMs),
          kind: wireDowntimeKind(kind),
          author,
          comment,
          includeServices: includeServices && hosts.length > 0,
        },
      }) as const,
    effectRows: "with_downtimes" as const,
    hasEffect: (row: StatusItem["row"] | undefined, { row: before }: StatusItem, ids: readonly string[]) =>
      row !== undefined && hasNewDowntime(row, before, { comment, ids }),
  };
  const problem = targetsProblem(targets, comment) ?? timeRangeError(range, nowMs) ?? downtimeKindError(kind);
  return (
    <CommandForm
      title={words.title(Math.max(1, targets.length))}
      targets={targets}
      submit="Schedule"
      problem={problem}
      send={(items) => send(items, form)}
      run={run}
    >
      {children}
      <ChoiceField legend="Duration" choices={downtimePresets} value={preset} onChange={setPreset} />
      {preset === "custom" && <TimeRangeFields typed={custom} onChange={setCustom} />}
      <TimeRangeText range={range} nowMs={nowMs} zone={zone} />
      <CommentField value={comment} onChange={setComment} />
      <DowntimeKindFields form={kind} onChange={setKind} targets={targets} />
      {hosts.length > 0 && <ServicesField hosts={hosts} checked={includeServices} onChange={setIncludeServices} />}
      <p className="hint">
        While the downtime is in effect, no contact is notified of problems of{" "}
        {targets.length === 1 ? "this object" : "these objects"}.
      </p>
      <AuthorField />
    </CommandForm>
  );
}

function targetsProblem(targets: readonly StatusItem[], comment: string): string | undefined {
  if (targets.length === 0) return "No object is selected.";
  return comment.trim() === "" ? "A comment is required: the reason for the downtime." : undefined;
}

type SentDowntime = { readonly comment: string; readonly ids: readonly string[] };

/** True when a row has the downtime. Before the realm has answered with the ids, it is a new one with the comment. */
const hasNewDowntime = ({ downtimes }: StatusItem["row"], before: StatusItem["row"], sent: SentDowntime): boolean =>
  downtimes.some(({ id, comment }) =>
    sent.ids.length > 0
      ? sent.ids.includes(id)
      : comment === sent.comment && before.downtimes.every((known) => known.id !== id),
  );

type ServicesFieldProps = { hosts: readonly StatusItem[]; checked: boolean; onChange: (checked: boolean) => void };

/** Extends the downtime to the services of the hosts, and says how many they are. */
function ServicesField({ hosts, checked, onChange }: ServicesFieldProps) {
  const services = useServiceCount(hosts);
  const whose = hosts.length === 1 ? "the host" : `the ${hosts.length} hosts`;
  return (
    <CheckField
      label="Include services"
      hint={
        services === undefined
          ? `All services of ${whose} get the same downtime.`
          : `All services of ${whose} get the same downtime: ${services}.`
      }
      checked={checked}
      onChange={onChange}
    />
  );
}

type TimeRangeTextProps = { range: DowntimeRange; nowMs: number; zone: DisplayZone };

function TimeRangeText({ range, nowMs, zone }: TimeRangeTextProps) {
  const { startMs, endMs } = range;
  const warning = timeRangeWarning(range);
  if (startMs === undefined || endMs === undefined || endMs <= startMs) return null;
  const start = startMs <= nowMs ? "now" : formatShortDateTime(startMs, nowMs, zone);
  return (
    <>
      <p className="hint">
        From <strong>{start}</strong> until <strong>{formatShortDateTime(endMs, nowMs, zone)}</strong> (
        {formatTimeSpan(endMs - startMs)}), times in {formatZone(zone, endMs)}.
      </p>
      {warning !== undefined && <p className="warning-text">{warning}</p>}
    </>
  );
}

/** Largest number of hosts whose services are counted: their names have to fit into one selector. */
const maxHosts = 50;

/** Number of services of hosts; undefined for hosts of several realms, and until it is known. */
function useServiceCount(hosts: readonly StatusItem[]): number | undefined {
  const realm = hosts[0]?.realm ?? "";
  const countable = hosts.length > 0 && hosts.length <= maxHosts && hosts.every((host) => host.realm === realm);
  const selector = oneOfSelector(
    "@host",
    hosts.map(({ key }) => key.name),
  );
  const { summary } = useSummary({ realm, kinds: [ObjectKind.SERVICE], selector }, countable);
  return countable && summary !== undefined ? totalOf(summary) : undefined;
}
