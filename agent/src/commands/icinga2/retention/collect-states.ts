import type { Downtime } from "@realmwatch/shared/model/downtime";
import type { ObjectToggles } from "@realmwatch/shared/model/toggles";
import type { ImportReport } from "../../import/import-report.ts";
import type { RetainedNotifications, RetainedObject, RetainedPart } from "../../import/retention/retained-object.ts";
import type { RetentionContext } from "../../import/retention/write-journal.ts";
import type { SourceNotes } from "../../import/source-notes.ts";
import { attributeNumber, attributeSwitch } from "../icinga-object.ts";
import { acknowledgementOf, commentOf, downtimeOf, isOfAcknowledgement } from "./annotations.ts";
import { lossesOf, retainedStatusOf } from "./checkable-status.ts";
import type { ToggleOff } from "./modified-attributes.ts";
import { fieldNumber, fieldTexts, fieldTimeMs } from "./record-fields.ts";
import { apiPackageOf, isRuntimeObject, type RuntimeObject } from "./runtime-objects.ts";
import type { IcingaRecord } from "./state-file.ts";

/** Parts of the state of all objects, as the files have them. */
type StateParts = {
  readonly records: readonly IcingaRecord[];
  readonly runtime: readonly RuntimeObject[];
  readonly toggles: readonly ToggleOff[];
};

type StateSources = {
  /** The state file. */
  readonly file: string;
  readonly context: RetentionContext;
  /** Receives what is not taken over. */
  readonly report: ImportReport;
  readonly notes: SourceNotes;
};

/** Record, comments, downtimes and toggles of a host or a service, as they are found in the files. */
type ObjectParts = {
  record: IcingaRecord | undefined;
  readonly parts: RetainedPart[];
  readonly comments: RuntimeObject[];
  readonly downtimes: Downtime[];
  readonly togglesOff: Set<keyof ObjectToggles>;
};

/** States of hosts and services by reference. */
export function collectStates(
  { records, runtime, toggles }: StateParts,
  sources: StateSources,
): ReadonlyMap<string, RetainedObject> {
  const { file, context, report } = sources;
  const objects = new Map<string, ObjectParts>();
  const partsOf = (ref: string): ObjectParts =>
    objects.getOrInsertComputed(ref, () => ({
      ...{ record: undefined, parts: [], comments: [], downtimes: [], togglesOff: new Set<keyof ObjectToggles>() },
    }));
  const byName = new Map(records.map((record) => [`${record.type} ${record.name}`, record]));
  for (const record of records.filter(({ type }) => type === "Host" || type === "Service")) {
    const known = partsOf(record.name);
    known.record = record;
    known.parts.push({ source: { file, line: 1 }, kind: record.type });
  }
  for (const each of runtime) {
    const { type, source } = each.object;
    const known = partsOf(each.ref);
    known.parts.push({ source, kind: type });
    if (type === "Comment") known.comments.push(each);
    if (type === "Downtime") {
      const downtime = downtimeOf(each, byName.get(`Downtime ${each.name}`), { context, report });
      if (downtime !== undefined) known.downtimes.push(downtime);
    }
  }
  for (const { ref, toggle, source } of toggles) {
    const known = partsOf(ref);
    known.togglesOff.add(toggle);
    known.parts.push({ source, kind: `toggle ${toggle}` });
  }
  remarkWithoutFile(records, runtime, sources);
  const notified = notificationsByRef(records);
  return new Map([...objects].map(([ref, parts]) => [ref, retainedObject(parts, notified.get(ref) ?? [], sources)]));
}

function retainedObject(
  { record, parts, comments: made, downtimes, togglesOff }: ObjectParts,
  notifications: readonly IcingaRecord[],
  sources: StateSources,
): RetainedObject {
  const { file, context, report, notes } = sources;
  const newestFirst = made.toSorted((a, b) => entryTime(b) - entryTime(a));
  const acknowledging = newestFirst.find(isOfAcknowledgement);
  const acknowledgement = record && acknowledgementOf(record, acknowledging, context.nowMs);
  const comments = made.filter((each) =>
    isOfAcknowledgement(each)
      ? attributeSwitch(each.object, "persistent", false) && !(acknowledgement && each === acknowledging)
      : true,
  );
  if (record !== undefined) {
    const { type: kind, name } = record;
    const losses = [...lossesOf(record)];
    if (acknowledgement !== undefined && acknowledging === undefined)
      losses.push(`its acknowledgement has no author: the comment of it is not in ${apiPackageOf(file)}`);
    for (const why of losses) report.add({ source: { file, line: 1 }, kind, name, outcome: "approximated", why });
  }
  return {
    parts,
    status:
      record && retainedStatusOf(record, { acknowledgement, notifications: notificationsOf(notifications, notes) }),
    comments: comments.flatMap((each) => commentOf(each, context, report) ?? []),
    downtimes,
    togglesOff: [...togglesOff],
  };
}

const entryTime = ({ object }: RuntimeObject): number => attributeNumber(object, "entry_time", 0);

/** Reports comments and downtimes of the state file of which neither a file nor the configuration has the text. */
function remarkWithoutFile(
  records: readonly IcingaRecord[],
  runtime: readonly RuntimeObject[],
  sources: StateSources,
): void {
  const { file, report } = sources;
  const known = new Set(runtime.map(({ object, name }) => `${object.type} ${name}`));
  for (const { type: kind, name } of records.filter(isRuntimeObject))
    if (!known.has(`${kind} ${name}`)) {
      const why = `its text and times are not in ${apiPackageOf(file)}: copy that folder beside the state file`;
      report.add({ source: { file, line: 1 }, kind, name, outcome: "unsupported", why });
    }
}

/** Records of notifications by the reference of their object. */
const notificationsByRef = (records: readonly IcingaRecord[]): ReadonlyMap<string, readonly IcingaRecord[]> =>
  Map.groupBy(
    records.filter(({ type }) => type === "Notification"),
    ({ name }) => name.slice(0, name.lastIndexOf("!")),
  );

/** [IM8] Notifications about the present problem; undefined when no user was notified of it. */
function notificationsOf(
  records: readonly IcingaRecord[],
  { origins }: SourceNotes,
): RetainedNotifications | undefined {
  const sent = records.filter(({ fields }) => fieldTexts(fields, "notified_problem_users").length > 0);
  if (sent.length === 0) return undefined;
  const users = new Set(sent.flatMap(({ fields }) => fieldTexts(fields, "notified_problem_users")));
  let [number, lastAtMs] = [1, 0];
  for (const { fields } of sent) {
    number = Math.max(number, Math.floor(fieldNumber(fields, "notification_number")));
    lastAtMs = Math.max(lastAtMs, fieldTimeMs(fields, "last_problem_notification") ?? 0);
  }
  return {
    number,
    lastAtMs: lastAtMs || undefined,
    // A contact that is notified of some statuses only has the name of its user before them.
    isNotified: (contact) => {
      const user = origins.get(`contacts ${contact}`)?.name;
      return user === undefined ? users.values().some((each) => contact.startsWith(`${each}-`)) : users.has(user);
    },
  };
}
