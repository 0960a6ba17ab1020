import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { scheduleDowntimeCommand } from "@realmwatch/shared/commands/schedule-downtime";
import { counted } from "@realmwatch/shared/view/plural";
import { type ReactNode, useMemo, useState } from "react";
import { useSendBulk } from "../../api/commands/use-send-bulk.ts";
import { useNow, usePreference } from "../../api/context/app-context.tsx";
import type { DisplayZone } from "../../api/context/preferences.ts";
import type { StatusItem } from "../../api/status/status-item.ts";
import { AuthorField, CheckField, ChoiceField, CommentField } from "../../components/controls/form-fields.tsx";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { formatShortDateTime, formatZone } from "../../components/time/format-date-time.ts";
import { formatTimeSpan } from "../../components/time/format-time-span.ts";
import { CommandForm } from "./command-form.tsx";
import { type DowntimeKindForm, downtimeKindError, wireDowntimeKind } from "./downtime-kind.ts";
import { DowntimeKindFields } from "./downtime-kind-fields.tsx";
import { countListedServices } from "./host-scope.ts";
import {
  type DowntimePreset,
  type DowntimeRange,
  downtimePresets,
  presetRange,
  timeRangeError,
  timeRangeWarning,
} from "./time-range.ts";
import { TimeRangeFields, toRange } from "./time-range-fields.tsx";
import { useHostsBehind, useServiceCount } from "./use-host-scope.ts";

const { words } = scheduleDowntimeCommand;

/** Form to schedule downtimes, one for each target. `children` is the field that selects the targets. */
export function DowntimeDialog({
  targets: chosen,
  children,
}: {
  targets: readonly StatusItem[];
  children?: ReactNode;
}) {
  const { send, run } = useSendBulk(true);
  const nowMs = useNow();
  const zone = usePreference("zone");
  const author = usePreference("author");
  const [comment, setComment] = useState("");
  const [preset, setPreset] = useState<DowntimePreset>("2h");
  const [custom, setCustom] = useState({ start: "now", end: "+2h" });
  const [kind, setKind] = useState<DowntimeKindForm>({ kind: "fixed", lasts: "2h", triggeredBy: "" });
  const [includeServices, setIncludeServices] = useState(true);
  const [wantsBehind, setWantsBehind] = useState(false);
  const chosenHosts = useMemo(() => hostsOf(chosen), [chosen]);
  const behind = useHostsBehind(chosenHosts, wantsBehind);
  const withBehind = wantsBehind && behind.offered;
  const targets = withBehind && behind.items !== undefined ? [...chosen, ...behind.items] : chosen;
  const hosts = hostsOf(targets);
  const services = useServiceCount(hosts);
  const range = preset === "custom" ? toRange(custom, nowMs, zone) : presetRange(preset, nowMs, zone);
  const form = {
    label: words.noun,
    entered: {
      preset,
      custom: preset === "custom" ? custom : undefined,
      kind,
      includeServices,
      withBehind,
      author,
      comment,
    },
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
  const behindProblem = withBehind && behind.items === undefined ? unreadProblem(behind.error) : undefined;
  const problem =
    behindProblem ?? targetsProblem(targets, comment) ?? timeRangeError(range, nowMs) ?? downtimeKindError(kind);
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
      {behind.offered && (
        <BehindField hosts={chosenHosts} items={behind.items} checked={wantsBehind} onChange={setWantsBehind} />
      )}
      {behind.error !== null && <FailureText error={behind.error} what="The hosts behind cannot be read." />}
      {hosts.length > 0 && (
        <ServicesField hosts={hosts} services={services} checked={includeServices} onChange={setIncludeServices} />
      )}
      {hosts.length > 0 && <ScopeText targets={targets} services={includeServices ? services : 0} />}
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

const hostsOf = (items: readonly StatusItem[]): readonly StatusItem[] => items.filter(({ key }) => key.kind === "host");

const unreadProblem = (error: Error | null): string =>
  error === null ? "The hosts behind are being read." : "The hosts behind could not be read: leave them out.";

type HostsFieldProps = { hosts: readonly StatusItem[]; checked: boolean; onChange: (checked: boolean) => void };

/** Extends the downtime to the hosts that are reached through the hosts, and says how many they are. */
function BehindField({ hosts, items, ...field }: HostsFieldProps & { items: readonly StatusItem[] | undefined }) {
  const [parent, it] = hosts.length === 1 ? ["this host", "it"] : ["one of these hosts", "them"];
  const count = field.checked && items !== undefined ? `: ${items.length}` : "";
  return (
    <CheckField
      label={`Include the hosts behind ${it}`}
      hint={`Hosts that have ${parent} as a parent, directly or through others, get the same downtime${count}.`}
      {...field}
    />
  );
}

type ServicesFieldProps = HostsFieldProps & { services: number | undefined };

/** Extends the downtime to the services of the hosts, and says how many they are. */
function ServicesField({ hosts, services, checked, onChange }: ServicesFieldProps) {
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

/**
 * Number of objects that get a downtime.
 *
 * @param services number of services that come with their hosts; undefined when they are not counted
 */
function ScopeText({ targets, services }: { targets: readonly StatusItem[]; services: number | undefined }) {
  const further = services === undefined ? undefined : services - (services === 0 ? 0 : countListedServices(targets));
  const total = targets.length + (further ?? 0);
  const listed = targets.length === 1 ? "the host" : `the ${targets.length} objects above`;
  const parts = further === 0 ? "" : `: ${listed} and ${counted(further ?? 0, "service")}`;
  return (
    <p className="hint" role="status">
      {further === undefined
        ? `${counted(targets.length, "object")} and all services of the hosts get a downtime.`
        : `${counted(total, "object")} ${total === 1 ? "gets" : "get"} a downtime${parts}.`}
    </p>
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
