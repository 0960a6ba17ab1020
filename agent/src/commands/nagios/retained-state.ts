import type { ObjectPlan, PolicyPlan, RealmPlan } from "@realmwatch/shared/config/plan";
import type { Acknowledgement, Comment } from "@realmwatch/shared/model/annotation";
import type { Downtime, DowntimeShape } from "@realmwatch/shared/model/downtime";
import { isProblem, type ProblemStatus, type Status } from "@realmwatch/shared/model/status";
import { allObjectTogglesOn, type ObjectToggles } from "@realmwatch/shared/model/toggles";
import { numberIn, type RetentionBlock, refIn, timeIn } from "@realmwatch/shared/text/retention-blocks";
import { type NotificationState, newNotificationState } from "../../engine/notify/notification-state.ts";
import { maxAttemptsOf, newState, type ObjectState, type Phase } from "../../engine/state/object-state.ts";

/** Blocks of one object. */
type RetainedObject = {
  status: RetentionBlock | undefined;
  readonly comments: RetentionBlock[];
  readonly downtimes: RetentionBlock[];
};

/** Groups the blocks of a retention file by the reference of their object. */
export function groupByObject(blocks: readonly RetentionBlock[]): ReadonlyMap<string, RetainedObject> {
  const objects = new Map<string, RetainedObject>();
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

export type RetainedContext = {
  readonly plan: RealmPlan;
  /** Unix ms. */
  readonly nowMs: number;
  /** Id of a downtime or a comment. The same kind and number give the same id. */
  idOf(kind: "downtime" | "comment", number: string): string;
};

const statusesOf = {
  host: ["ok", "critical", "unreachable"],
  service: ["ok", "warning", "critical", "unknown"],
} as const satisfies Record<string, readonly Status[]>;

/** State of an object as the other system left it. */
export function retainedStateOf(plan: ObjectPlan, retained: RetainedObject, context: RetainedContext): ObjectState {
  const { status: block } = retained;
  const annotations = {
    comments: retained.comments.filter((each) => numberIn(each, "entry_type") === userComment).map(commentOf(context)),
    downtimes: retained.downtimes.flatMap((each) => downtimeOf(each, context)),
  };
  const state: ObjectState = { ...newState(context.nowMs), ...annotations };
  if (block === undefined || numberIn(block, "has_been_checked") === 0) return state;
  const names = statusesOf[plan.key.kind === "host" ? "host" : "service"];
  const status: Status = names[numberIn(block, "current_state")] ?? "unknown";
  const phase = phaseOf(block, status, maxAttemptsOf(plan));
  const lastHardStatus = phase.kind === "hard" ? phase.status : (names[numberIn(block, "last_hard_state")] ?? "ok");
  const executedAtMs = timeIn(block, "last_check") ?? context.nowMs;
  const changedAtMs = timeIn(block, "last_state_change");
  return {
    ...state,
    phase,
    lastHardStatus: phase.kind === "ok" ? "ok" : lastHardStatus,
    previousStatus: names[numberIn(block, "last_state")],
    lastOkAtMs: timeIn(block, "last_time_ok") ?? timeIn(block, "last_time_up"),
    lastChangeAtMs: changedAtMs,
    lastHardChangeAtMs: timeIn(block, "last_hard_state_change") ?? changedAtMs,
    failingSinceMs: isProblem(status) ? (changedAtMs ?? executedAtMs) : undefined,
    last: {
      output: block.values.get("plugin_output") ?? "",
      longOutput: (block.values.get("long_plugin_output") ?? "").replaceAll("\\n", "\n"),
      perfdata: [],
      ...{ executedAtMs, realAtMs: executedAtMs, latencyMs: undefined, executionMs: undefined },
      source: "import",
      rawStatus: status === "unreachable" ? "critical" : status,
    },
    acknowledgement: acknowledgementOf(block, retained.comments),
    toggles: togglesOf(block),
    notificationState: notificationStateOf(plan, phase, block, context),
  };
}

function phaseOf(block: RetentionBlock, status: Status, maxAttempts: number): Phase {
  if (!isProblem(status)) return { kind: "ok" };
  const attempt = Math.max(1, numberIn(block, "current_attempt"));
  if (numberIn(block, "state_type") === 1 || attempt >= maxAttempts) return { kind: "hard", status };
  return { kind: "soft", status, attempt };
}

/** Values of `entry_type`. */
const userComment = 1;
const acknowledgementComment = 4;

const commentOf =
  ({ idOf, nowMs }: RetainedContext) =>
  (block: RetentionBlock): Comment => ({
    id: idOf("comment", block.values.get("comment_id") ?? ""),
    author: block.values.get("author") ?? "",
    onBehalfOf: "",
    text: block.values.get("comment_data") ?? "",
    atMs: timeIn(block, "entry_time") ?? nowMs,
  });

/** A downtime that has not ended, else none. */
function downtimeOf(block: RetentionBlock, { idOf, nowMs }: RetainedContext): readonly Downtime[] {
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

function shapeOf(block: RetentionBlock, idOf: RetainedContext["idOf"]): DowntimeShape {
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
  if (numberIn(block, "problem_has_been_acknowledged") !== 1 || numberIn(block, "current_state") === 0)
    return undefined;
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

function togglesOf(block: RetentionBlock): ObjectToggles {
  const modified = numberIn(block, "modified_attributes");
  const off = Object.entries(toggleBits).filter(
    ([, [bit, field]]) => (modified & bit) !== 0 && block.values.get(field) === "0",
  );
  if (off.length === 0) return allObjectTogglesOn;
  return { ...allObjectTogglesOn, ...Object.fromEntries(off.map(([name]) => [name, false])) };
}

/** Notifications so far about a hard problem, so that it is not announced again; undefined when there were none. */
function notificationStateOf(
  plan: ObjectPlan,
  phase: Phase,
  block: RetentionBlock,
  { plan: realm, nowMs }: RetainedContext,
): NotificationState | undefined {
  const number = numberIn(block, "current_notification_number");
  const policy = realm.policies.get(plan.policy);
  if (phase.kind !== "hard" || number === 0 || policy === undefined) return undefined;
  const lastAtMs = timeIn(block, "last_notification") ?? timeIn(block, "last_host_notification") ?? nowMs;
  return announced(policy, { status: phase.status, number, lastAtMs, nowMs, sinceMs: sinceMsOf(block, nowMs) });
}

const sinceMsOf = (block: RetentionBlock, nowMs: number): number =>
  timeIn(block, "last_hard_state_change") ?? timeIn(block, "last_state_change") ?? nowMs;

type Announced = {
  readonly status: ProblemStatus;
  readonly number: number;
  readonly lastAtMs: number;
  readonly sinceMs: number;
  readonly nowMs: number;
};

function announced({ levels }: PolicyPlan, { status, number, lastAtMs, sinceMs, nowMs }: Announced): NotificationState {
  let [level, sentAtLevel] = [0, number];
  for (; level + 1 < levels.length; level += 1) {
    const { threshold } = levels[level] ?? { threshold: 0 };
    if (threshold === 0 || sentAtLevel <= threshold) break;
    sentAtLevel -= threshold;
  }
  const intervalMs = levels[level]?.renotifyIntervalMs ?? 0;
  const reached = levels.slice(0, level + 1).flatMap(({ contacts }, at) => contacts.map((name) => [name, at] as const));
  return {
    ...newNotificationState(nowMs),
    counters: { sinceMs: nowMs, problems: 1, notifications: number },
    problem: {
      kind: "open",
      sinceMs,
      notified: Object.fromEntries(reached.map(([name, at]) => [name, { status, level: at }])),
      hostCheckAwaitedSinceMs: undefined,
      announcement: {
        ...{ status, level, sentAtLevel, number },
        nextAtMs: intervalMs === 0 ? undefined : lastAtMs + intervalMs,
        deferred: [],
      },
    },
    lastAtMs,
  };
}
