import type { Acknowledgement, Comment } from "@realmwatch/shared/model/annotation";
import type { Downtime, DowntimeShape } from "@realmwatch/shared/model/downtime";
import type { ImportItem, ImportReport } from "../../import/import-report.ts";
import type { RetentionContext } from "../../import/retention/write-journal.ts";
import { attributeNumber, attributeSwitch, attributeText } from "../icinga-object.ts";
import { fieldNumber, fieldTimeMs, timeMsOf } from "./record-fields.ts";
import type { RuntimeObject } from "./runtime-objects.ts";
import type { IcingaRecord } from "./state-file.ts";

/** Value of `entry_type` of a comment that an acknowledgement made. */
const acknowledgementType = 4;

export const isOfAcknowledgement = ({ object }: RuntimeObject): boolean =>
  attributeNumber(object, "entry_type", 0) === acknowledgementType;

const remark = (
  report: ImportReport,
  { object, name }: RuntimeObject,
  finding: Pick<ImportItem, "outcome" | "why">,
): void => report.add({ source: object.source, kind: object.type, name, ...finding });

/** The comment of a user, or of an acknowledgement that has ended; undefined for one that has expired. */
export function commentOf(
  comment: RuntimeObject,
  context: RetentionContext,
  report: ImportReport,
): Comment | undefined {
  const { name, object } = comment;
  const expiresAtMs = timeMsOf(attributeNumber(object, "expire_time", 0));
  if (expiresAtMs !== undefined) {
    if (expiresAtMs <= context.nowMs) return undefined;
    remark(report, comment, { outcome: "approximated", why: "it does not expire: delete it when it is not needed" });
  }
  return {
    id: context.idOf("comment", name),
    author: attributeText(object, "author") ?? "",
    onBehalfOf: "",
    text: attributeText(object, "text") ?? "",
    atMs: timeMsOf(attributeNumber(object, "entry_time", 0)) ?? context.nowMs,
  };
}

/**
 * The acknowledgement of an object that is in effect, with author and text of the comment that it made.
 *
 * @param made newest comment of an acknowledgement
 */
export function acknowledgementOf(
  { fields }: IcingaRecord,
  made: RuntimeObject | undefined,
  nowMs: number,
): Acknowledgement | undefined {
  const kind = fieldNumber(fields, "acknowledgement");
  const expiresAtMs = fieldTimeMs(fields, "acknowledgement_expiry");
  if (kind === 0 || (expiresAtMs !== undefined && expiresAtMs <= nowMs)) return undefined;
  return {
    author: (made && attributeText(made.object, "author")) ?? "",
    onBehalfOf: "",
    comment: (made && attributeText(made.object, "text")) ?? "",
    sticky: kind === 2,
    atMs: fieldTimeMs(fields, "acknowledgement_last_change") ?? fieldTimeMs(fields, "last_state_change") ?? nowMs,
    expiresAtMs,
  };
}

/**
 * A downtime that has not ended; undefined for another one and for one that the configuration schedules anew.
 *
 * @param record state of the downtime; undefined when the state file has none
 */
export function downtimeOf(
  downtime: RuntimeObject,
  record: IcingaRecord | undefined,
  { context, report }: { readonly context: RetentionContext; readonly report: ImportReport },
): Downtime | undefined {
  const { name, ref, object } = downtime;
  const { nowMs, idOf } = context;
  const comment = attributeText(object, "comment") ?? "";
  if ((attributeText(object, "scheduled_by") ?? attributeText(object, "config_owner")) !== undefined) {
    const again = context.plan.recurringDowntimes.find((each) => each.comment === comment && each.refs.includes(ref));
    if (again !== undefined) {
      remark(report, downtime, {
        outcome: "converted",
        why: `the downtime ${again.name} of the document schedules it`,
      });
      return undefined;
    }
  }
  const [start, end] = ["start_time", "end_time"].map((each) => timeMsOf(attributeNumber(object, each, 0)));
  if (start === undefined || end === undefined) {
    remark(report, downtime, { outcome: "unsupported", why: "start_time and end_time must be numbers" });
    return undefined;
  }
  const shape = shapeOf(downtime, record, idOf);
  const window = "active" in shape ? shape.active : { fromMs: start, untilMs: end };
  if ((window?.untilMs ?? end) <= nowMs) return undefined;
  const parent = attributeText(object, "parent");
  return {
    id: idOf("downtime", name),
    ...{ shape, startMs: start, endMs: end, comment },
    author: attributeText(object, "author") ?? "",
    onBehalfOf: "",
    inEffect: window !== undefined && window.fromMs <= nowMs,
    // Deleting the downtime of a host deletes those of its services that were scheduled with it.
    ...(parent === undefined ? {} : { changeId: idOf("downtime", parent) }),
  };
}

/** In Icinga 2 a fixed downtime is in effect in its own window, also when another one triggers it. */
function shapeOf(
  { object }: RuntimeObject,
  record: IcingaRecord | undefined,
  idOf: RetentionContext["idOf"],
): DowntimeShape {
  if (attributeSwitch(object, "fixed", true)) return { kind: "fixed" };
  const durationMs = timeMsOf(attributeNumber(object, "duration", 0)) ?? 0;
  const fromMs = record && fieldTimeMs(record.fields, "trigger_time");
  const active = fromMs === undefined ? undefined : { fromMs, untilMs: fromMs + durationMs };
  const trigger = attributeText(object, "triggered_by");
  return trigger === undefined
    ? { kind: "flexible", durationMs, active }
    : { kind: "triggered", triggeredBy: idOf("downtime", trigger), active };
}
