import type { ObjectPlan } from "@realmwatch/shared/config/plan";
import { type Author, authorFields, noAuthor } from "@realmwatch/shared/model/author";
import type { Activation, Downtime } from "@realmwatch/shared/model/downtime";
import type { HistoryEntry, HistoryType } from "@realmwatch/shared/model/history";
import { isProblem } from "@realmwatch/shared/model/status";
import { advanceDowntimes } from "@realmwatch/shared/read-model/history/advance-downtimes";
import type { ObjectContext } from "../object-context.ts";
import { type ObjectState, statusOf } from "../state/object-state.ts";
import { andThen, type FollowUp, type Transition, unchanged } from "../transition.ts";
import { activationOf, anyInEffect, nextDowntimeDueMs, startTriggeredDowntime } from "./downtimes.ts";
import { updateRecurringDowntimes } from "./recurring-downtimes.ts";

/** [DT5] Overlapping downtimes give one start, with the first that comes into effect, and one end, with the last. */
function edge(before: readonly Downtime[], after: readonly Downtime[]): "downtime_start" | "downtime_end" | undefined {
  const [was, is] = [anyInEffect(before), anyInEffect(after)];
  if (was === is) return undefined;
  return is ? "downtime_start" : "downtime_end";
}

function entryOf(plan: ObjectPlan, type: HistoryType, downtime: Downtime | undefined, nowMs: number): HistoryEntry {
  const entry: HistoryEntry = { atMs: nowMs, type, key: plan.key };
  if (downtime === undefined) return entry;
  const { id: downtimeId, comment, changeId } = downtime;
  const change = changeId === undefined ? {} : { changeId };
  return { ...entry, downtimeId, ...change, comment, downtime, ...authorFields(downtime) };
}

/** Trigger follow-ups of the downtimes that begin now. Recurring ones are left out: they cannot be a trigger. */
function triggers(before: readonly Downtime[], after: readonly Downtime[]): FollowUp[] {
  const was = new Set(before.filter((d) => d.inEffect).map((d) => d.id));
  return after
    .filter((d) => d.inEffect && d.shape.kind !== "recurring" && !was.has(d.id))
    .map((d) => ({ kind: "downtime_trigger", id: d.id, active: activationOf(d) }));
}

/** Inputs, beside the state, for updating an object's downtimes. */
type DowntimeContext = {
  readonly plan: ObjectPlan;
  readonly objectContext: Pick<ObjectContext, "recurring">;
  readonly nowMs: number;
};

/** [DT8] The downtimes of a state at `nowMs`; the same list when nothing changes. */
const downtimesAt = (
  { objectContext, nowMs }: DowntimeContext,
  { downtimes, phase }: ObjectState,
): readonly Downtime[] =>
  advanceDowntimes(updateRecurringDowntimes(downtimes, objectContext.recurring), isProblem(statusOf(phase)), nowMs);

/**
 * Next time at which `updateDowntimes` may change the state, Unix ms; Infinity when there is none. A begin or end that
 * has passed but is not applied yet, because another input was processed first, is due now.
 */
export const downtimesDueMs = (context: DowntimeContext, state: ObjectState): number =>
  downtimesAt(context, state) === state.downtimes ? nextDowntimeDueMs(state.downtimes, context.nowMs) : context.nowMs;

/** Begins and ends the downtimes of a state as of `nowMs`. */
export function updateDowntimes(context: DowntimeContext, state: ObjectState): Transition {
  const { plan, nowMs } = context;
  const downtimes = downtimesAt(context, state);
  if (downtimes === state.downtimes) return unchanged(state);
  const type = edge(state.downtimes, downtimes);
  const began = downtimes.find((d) => d.inEffect);
  const ended = state.downtimes.find((d) => d.inEffect);
  const history = type === undefined ? [] : [entryOf(plan, type, type === "downtime_start" ? began : ended, nowMs)];
  return { state: { ...state, downtimes }, history, followUps: triggers(state.downtimes, downtimes) };
}

/** [DT7] Schedules a downtime. A triggered one whose trigger is in effect already begins at once. */
export function scheduleDowntime(
  context: DowntimeContext,
  state: ObjectState,
  { downtime, trigger }: { downtime: Downtime; trigger: Activation | undefined },
): Transition {
  const { plan, nowMs } = context;
  if (state.downtimes.some((known) => known.id === downtime.id)) return unchanged(state);
  const { shape } = downtime;
  const added =
    shape.kind === "triggered" && trigger !== undefined
      ? startTriggeredDowntime(downtime, { triggerId: shape.triggeredBy, trigger, nowMs })
      : downtime;
  const scheduled: Transition = {
    state: { ...state, downtimes: [...state.downtimes, added] },
    history: [entryOf(plan, "downtime_scheduled", added, nowMs)],
    followUps: [],
  };
  return andThen(scheduled, (next) => updateDowntimes(context, next));
}

/**
 * [DT6] Deletes a downtime. The follow-up also deletes the downtimes that it would have triggered. [DT10] Recurring
 * downtimes are configured and cannot be deleted.
 */
export function deleteDowntime(
  plan: ObjectPlan,
  state: ObjectState,
  id: string,
  { by, nowMs }: { by: Author; nowMs: number },
): Transition {
  const deleted = state.downtimes.find((known) => known.id === id);
  if (deleted === undefined || deleted.shape.kind === "recurring") return unchanged(state);
  const downtimes = state.downtimes.filter((known) => known.id !== id);
  const cancelled: HistoryEntry = { ...entryOf(plan, "downtime_cancelled", deleted, nowMs), ...authorFields(by) };
  return {
    state: { ...state, downtimes },
    history: [cancelled],
    followUps: [{ kind: "downtime_trigger", id, active: undefined, by }],
  };
}

/** Starts the downtimes triggered by `id` or, when `active` is undefined, deletes them with the same author. */
export function applyDowntimeTrigger(
  context: DowntimeContext,
  state: ObjectState,
  { id, active, by = noAuthor }: { id: string; active: Activation | undefined; by?: Author },
): Transition {
  const { plan, nowMs } = context;
  if (active !== undefined) {
    const start = { triggerId: id, trigger: active, nowMs };
    const downtimes = state.downtimes.map((downtime) => startTriggeredDowntime(downtime, start));
    return andThen(unchanged({ ...state, downtimes }), (next) => updateDowntimes(context, next));
  }
  const children = state.downtimes.filter((d) => d.shape.kind === "triggered" && d.shape.triggeredBy === id);
  return children.reduce<Transition>(
    (transition, child) => andThen(transition, (next) => deleteDowntime(plan, next, child.id, { by, nowMs })),
    unchanged(state),
  );
}
