import type { Acknowledgement, Comment } from "@realmwatch/shared/model/annotation";
import type { Downtime, DowntimeShape } from "@realmwatch/shared/model/downtime";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { Status } from "@realmwatch/shared/model/status";
import type { ObjectToggles } from "@realmwatch/shared/model/toggles";
import { describeFileError } from "@realmwatch/shared/platform/files/describe-file-error";
import { numberIn, parseRetention, type RetentionBlock, refIn, timeIn } from "@realmwatch/shared/text/retention-blocks";
import { readTextFile } from "../../platform/files/text-file.ts";
import type {
  RetainedNotifications,
  RetainedObject,
  RetainedStates,
  RetainedStatus,
} from "../import/retention/retained-object.ts";
import type { RetentionContext } from "../import/retention/write-journal.ts";

/** Reads the retention file of Nagios. Fails with the file, where known the line, and the reason. */
export async function readNagiosRetention(
  file: string,
  context: RetentionContext,
): Promise<Result<RetainedStates, string>> {
  const text = await readTextFile(file);
  if (!text.ok) return fail(`${file}: cannot be read: ${describeFileError(text.error)}`);
  const blocks = parseRetention(file, text.value);
  if (!blocks.ok) return blocks;
  const objects = [...groupByObject(blocks.value)].map(
    ([ref, group]) => [ref, retainedObject(group, context)] as const,
  );
  return ok({ objects: new Map(objects), items: [] });
}

/** Blocks of one object. */
type ObjectBlocks = {
  status: RetentionBlock | undefined;
  readonly comments: RetentionBlock[];
  readonly downtimes: RetentionBlock[];
};

/** Groups the blocks of a retention file by the reference of their object. */
function groupByObject(blocks: readonly RetentionBlock[]): ReadonlyMap<string, ObjectBlocks> {
  const objects = new Map<string, ObjectBlocks>();
  for (const block of blocks) {
    const kind = /^(?:host|service)(status|comment|downtime)?$/.exec(block.type);
    if (kind === null) continue;
    const ref = refIn(block);
    const known = objects.getOrInsertComputed(ref, () => ({ status: undefined, comments: [], downtimes: [] }));
    if (kind[1] === "comment") known.comments.push(block);
    else if (kind[1] === "downtime") known.downtimes.push(block);
    else known.status = block;
  }
  return objects;
}

function retainedObject({ status, comments, downtimes }: ObjectBlocks, context: RetentionContext): RetainedObject {
  const [first] = [status, ...comments, ...downtimes].filter((each) => each !== undefined);
  return {
    parts: first === undefined ? [] : [{ source: first.source, kind: first.type }],
    status: status && numberIn(status, "has_been_checked") !== 0 ? statusOf(status, comments) : undefined,
    comments: comments.filter((each) => numberIn(each, "entry_type") === userComment).map(commentOf(context)),
    downtimes: downtimes.flatMap((each) => downtimeOf(each, context)),
    togglesOff: status === undefined ? [] : togglesOffIn(status),
  };
}

const hostStatuses: readonly Status[] = ["ok", "critical", "unreachable"];
const serviceStatuses: readonly Status[] = ["ok", "warning", "critical", "unknown"];

function statusOf(block: RetentionBlock, comments: readonly RetentionBlock[]): RetainedStatus {
  const names = block.values.has("service_description") ? serviceStatuses : hostStatuses;
  return {
    status: names[numberIn(block, "current_state")] ?? "unknown",
    isHard: numberIn(block, "state_type") === 1,
    attempt: numberIn(block, "current_attempt"),
    lastHardStatus: names[numberIn(block, "last_hard_state")] ?? "ok",
    previousStatus: names[numberIn(block, "last_state")],
    output: block.values.get("plugin_output") ?? "",
    longOutput: (block.values.get("long_plugin_output") ?? "").replaceAll("\\n", "\n"),
    checkedAtMs: timeIn(block, "last_check"),
    lastOkAtMs: timeIn(block, "last_time_ok") ?? timeIn(block, "last_time_up"),
    changedAtMs: timeIn(block, "last_state_change"),
    hardChangedAtMs: timeIn(block, "last_hard_state_change"),
    acknowledgement: acknowledgementOf(block, comments),
    notifications: notificationsOf(block),
  };
}

function notificationsOf(block: RetentionBlock): RetainedNotifications | undefined {
  const number = numberIn(block, "current_notification_number");
  if (number === 0) return undefined;
  return { number, lastAtMs: timeIn(block, "last_notification") ?? timeIn(block, "last_host_notification") };
}

/** Values of `entry_type`. */
const userComment = 1;
const acknowledgementComment = 4;

const commentOf =
  ({ idOf, nowMs }: RetentionContext) =>
  (block: RetentionBlock): Comment => ({
    id: idOf("comment", block.values.get("comment_id") ?? ""),
    author: block.values.get("author") ?? "",
    onBehalfOf: "",
    text: block.values.get("comment_data") ?? "",
    atMs: timeIn(block, "entry_time") ?? nowMs,
  });

/** A downtime that has not ended, else none. */
function downtimeOf(block: RetentionBlock, { idOf, nowMs }: RetentionContext): readonly Downtime[] {
  const [startMs = nowMs, endMs = 0] = [timeIn(block, "start_time"), timeIn(block, "end_time")];
  const shape = shapeOf(block, idOf);
  const untilMs = "active" in shape ? (shape.active?.untilMs ?? endMs) : endMs;
  if (untilMs <= nowMs) return [];
  const fromMs = "active" in shape ? shape.active?.fromMs : startMs;
  return [
    {
      id: idOf("downtime", block.values.get("downtime_id") ?? ""),
      ...{ shape, startMs, endMs },
      author: block.values.get("author") ?? "",
      onBehalfOf: "",
      comment: block.values.get("comment") ?? "",
      inEffect: numberIn(block, "is_in_effect") === 1 && fromMs !== undefined && fromMs <= nowMs,
    },
  ];
}

function shapeOf(block: RetentionBlock, idOf: RetentionContext["idOf"]): DowntimeShape {
  const begunAtMs = numberIn(block, "is_in_effect") === 1 ? timeIn(block, "flex_downtime_start") : undefined;
  const durationMs = numberIn(block, "duration") * 1000;
  const flexible = begunAtMs === undefined ? undefined : { fromMs: begunAtMs, untilMs: begunAtMs + durationMs };
  const trigger = block.values.get("triggered_by") ?? "0";
  if (numberIn(block, "fixed") === 1 && trigger === "0") return { kind: "fixed" };
  if (trigger !== "0") return { kind: "triggered", triggeredBy: idOf("downtime", trigger), active: flexible };
  return { kind: "flexible", durationMs, active: flexible };
}

/** The acknowledgement, with author and text of the newest comment that was made for one. */
function acknowledgementOf(block: RetentionBlock, comments: readonly RetentionBlock[]): Acknowledgement | undefined {
  if (numberIn(block, "problem_has_been_acknowledged") !== 1) return undefined;
  const made = comments.findLast((comment) => numberIn(comment, "entry_type") === acknowledgementComment);
  return {
    author: made?.values.get("author") ?? "",
    onBehalfOf: "",
    comment: made?.values.get("comment_data") ?? "",
    sticky: numberIn(block, "acknowledgement_type") === 2,
    atMs: (made && timeIn(made, "entry_time")) ?? timeIn(block, "last_state_change") ?? 0,
    expiresAtMs: made === undefined || numberIn(made, "expires") === 0 ? undefined : timeIn(made, "expire_time"),
  };
}

/** Bits of `modified_attributes`: toggles that were set at run time. The others follow the configuration. */
const toggleBits: Readonly<Record<keyof ObjectToggles, readonly [bit: number, name: string]>> = {
  notifications: [1, "notifications_enabled"],
  activeChecks: [2, "active_checks_enabled"],
  passiveChecks: [4, "passive_checks_enabled"],
  eventHandler: [8, "event_handler_enabled"],
  flapDetection: [16, "flap_detection_enabled"],
};

function togglesOffIn(block: RetentionBlock): readonly (keyof ObjectToggles)[] {
  const modified = numberIn(block, "modified_attributes");
  return (Object.keys(toggleBits) as (keyof ObjectToggles)[]).filter((name) => {
    const [bit, field] = toggleBits[name];
    return (modified & bit) !== 0 && block.values.get(field) === "0";
  });
}
