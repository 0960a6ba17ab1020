import type { ObjectPlan } from "@realmwatch/shared/config/plan";
import type { Activation, Downtime } from "@realmwatch/shared/model/downtime";
import type { HistoryEntry, HistoryType } from "@realmwatch/shared/model/history";
import { isProblem } from "@realmwatch/shared/model/status";
import { advanceDowntimes } from "@realmwatch/shared/read-model/history/advance-downtimes";
import { authorFields, noAuthor } from "../author.ts";
import { type Transition, unchanged } from "../transition.ts";
import { statusOf } from "../state/attempts.ts";
import { activationOf, anyInEffect, nextDowntimeDueMs, startTriggeredDowntime } from "./downtimes.ts";
import type { Author } from "../author.ts";
import type { FollowUp } from "../follow-up.ts";
import type { ObjectContext } from "../object-context.ts";
import { updateRecurringDowntimes } from "./recurring-downtimes.ts";
import type { ObjectState } from "../state/object-state.ts";

/** [DT5] The first downtime to come into effect starts one, the last to leave ends it: overlaps are silent. */
function edge(before: readonly Downtime[], after: readonly Downtime[]): "downtime_start" | "downtime_end" | undefined {
  const [was, is] = [anyInEffect(before), anyInEffect(after)];
  if (was === is) return undefined;
  return is ? "downtime_start" : "downtime_end";
}

function entryOf(plan: ObjectPlan, type: HistoryType, downtime: Downtime | undefined, nowMs: number): HistoryEntry {
  const entry: HistoryEntry = { atMs: nowMs, type, key: plan.key };
  if (downtime === undefined) return entry;
  return { ...entry, downtimeId: downtime.id, comment: downtime.comment, downtime, ...authorFields(downtime) };
}

/** Those that begin now, as news for the downtimes they trigger; nothing waits for a recurring one. */
function triggers(before: readonly Downtime[], after: readonly Downtime[]): FollowUp[] {
  const was = new Set(before.filter((d) => d.inEffect).map((d) => d.id));
  return after
    .filter((d) => d.inEffect && d.shape.kind !== "recurring" && !was.has(d.id))
    .map((d) => ({ kind: "downtime_trigger", id: d.id, active: activationOf(d) }));
}

/** What settling downtimes reads beside the state. */
export type DowntimeContext = {
  readonly plan: ObjectPlan;
  readonly objectContext: Pick<ObjectContext, "recurring">;
  readonly nowMs: number;
};

/** [DT8] The downtimes of a state as they are at the instant; the same list where nothing changed. */
const settled = ({ objectContext, nowMs }: DowntimeContext, { downtimes, phase }: ObjectState): readonly Downtime[] =>
  advanceDowntimes(updateRecurringDowntimes(downtimes, objectContext.recurring), isProblem(statusOf(phase)), nowMs);

/**
 * The next instant at which settling could say something else; Infinity where there is none. What another input was
 * faster than is due now: it must not wait for the instant after.
 */
export const downtimesDueMs = (settling: DowntimeContext, state: ObjectState): number =>
  settled(settling, state) === state.downtimes ? nextDowntimeDueMs(state.downtimes, settling.nowMs) : settling.nowMs;

/** Brings the downtimes of a state up to the instant and tells what that changed. */
export function updateDowntimes(settling: DowntimeContext, state: ObjectState): Transition {
  const { plan, nowMs } = settling;
  const downtimes = settled(settling, state);
  if (downtimes === state.downtimes) return unchanged(state);
  const type = edge(state.downtimes, downtimes);
  const began = downtimes.find((d) => d.inEffect);
  const ended = state.downtimes.find((d) => d.inEffect);
  const history = type === undefined ? [] : [entryOf(plan, type, type === "downtime_start" ? began : ended, nowMs)];
  return { state: { ...state, downtimes }, history, followUps: triggers(state.downtimes, downtimes) };
}

/** Two steps as one: what the second one adds to the first. */
export const andThen = (first: Transition, second: (state: ObjectState) => Transition): Transition => {
  const next = second(first.state);
  return {
    state: next.state,
    history: [...first.history, ...next.history],
    followUps: [...first.followUps, ...next.followUps],
    dropped: first.dropped ?? next.dropped,
  };
};

/** [DT7] One whose trigger is in effect already begins at once. */
export function scheduleDowntime(
  settling: DowntimeContext,
  state: ObjectState,
  { downtime, trigger }: { downtime: Downtime; trigger: Activation | undefined },
): Transition {
  const { plan, nowMs } = settling;
  if (state.downtimes.some((known) => known.id === downtime.id)) return unchanged(state);
  const { shape } = downtime;
  const begun =
    shape.kind === "triggered" && trigger !== undefined
      ? startTriggeredDowntime(downtime, { triggerId: shape.triggeredBy, trigger, nowMs })
      : downtime;
  const scheduled: Transition = {
    state: { ...state, downtimes: [...state.downtimes, begun] },
    history: [entryOf(plan, "downtime_scheduled", begun, nowMs)],
    followUps: [],
  };
  return andThen(scheduled, (next) => updateDowntimes(settling, next));
}

/**
 * [DT6] A delete that ends the last downtime in effect cancels it; those it would have triggered go too. [DT10] What the
 * configuration declares stays.
 */
export function deleteDowntime(
  plan: ObjectPlan,
  state: ObjectState,
  id: string,
  { by, nowMs }: { by: Author; nowMs: number },
): Transition {
  const gone = state.downtimes.find((known) => known.id === id);
  if (gone === undefined || gone.shape.kind === "recurring") return unchanged(state);
  const downtimes = state.downtimes.filter((known) => known.id !== id);
  const cancelled: HistoryEntry = { ...entryOf(plan, "downtime_cancelled", gone, nowMs), ...authorFields(by) };
  return {
    state: { ...state, downtimes },
    history: [cancelled],
    followUps: [{ kind: "downtime_trigger", id, active: undefined, by }],
  };
}

/** News of another downtime: those waiting for it begin, or, where it was deleted, are deleted with it by the same. */
export function applyDowntimeTrigger(
  settling: DowntimeContext,
  state: ObjectState,
  { id, active, by = noAuthor }: { id: string; active: Activation | undefined; by?: Author },
): Transition {
  const { plan, nowMs } = settling;
  if (active !== undefined) {
    const news = { triggerId: id, trigger: active, nowMs };
    const downtimes = state.downtimes.map((downtime) => startTriggeredDowntime(downtime, news));
    return andThen(unchanged({ ...state, downtimes }), (next) => updateDowntimes(settling, next));
  }
  const children = state.downtimes.filter((d) => d.shape.kind === "triggered" && d.shape.triggeredBy === id);
  return children.reduce<Transition>(
    (stepped, child) => andThen(stepped, (next) => deleteDowntime(plan, next, child.id, { by, nowMs })),
    unchanged(state),
  );
}
