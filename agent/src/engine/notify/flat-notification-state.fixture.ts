import type { NotificationState, OpenProblem } from "./notification-state.ts";
import type { FlatNotificationState } from "./revive-notification-state.ts";

/** The flat form in which earlier versions stored a notification state. */
export function flatten(state: NotificationState): FlatNotificationState {
  const { counters, problem, lastAtMs, flapping, awaitsResult, decision } = state;
  return {
    ...{ countedFromMs: counters.sinceMs, problems: counters.problems, messages: counters.notifications },
    ...(problem.kind === "open"
      ? flatProblem(problem)
      : { ...unannounced, told: {}, deferred: problem.deferredRecoveries.map((d) => ({ ...d, kind: "RECOVERY" })) }),
    ...present({ lastAtMs }),
    ...(flapping.kind === "dropped"
      ? { flapping: "dropped" }
      : {
          flapping: flapping.kind === "notified" ? "told" : "calm",
          ...present({ flappingWithheld: flapping.suppressed }),
        }),
    awaitsResult,
    ...(decision && { because: decision.decision, becauseOf: decision.kind }),
  };
}

const unannounced = { level: 0, sentAtLevel: 0, number: 0, deferred: [] };

function flatProblem({ sinceMs, notified, hostCheckAwaitedSinceMs, announcement }: OpenProblem) {
  const common = {
    problemSinceMs: sinceMs,
    told: notified,
    ...present({ hostAwaitedSinceMs: hostCheckAwaitedSinceMs }),
  };
  if (announcement === undefined) return { ...common, ...unannounced };
  const { status, nextAtMs, deferred, ...numbers } = announcement;
  return {
    ...{ ...common, ...numbers, announced: status, ...present({ nextAtMs }) },
    deferred: deferred.map((each) => ({ ...each, kind: "PROBLEM" as const })),
  };
}

/** Leaves undefined fields out, as JSON does. */
function present<Value>(fields: Readonly<Record<string, Value | undefined>>): Record<string, Value> {
  const entries = Object.entries(fields).filter((entry): entry is [string, Value] => entry[1] !== undefined);
  return Object.fromEntries(entries);
}

/** The JSON of an object's state as earlier versions stored it. */
export function flattenState({ notificationState, ...state }: Record<string, unknown>): object {
  return notificationState === undefined
    ? state
    : { ...state, telling: flatten(notificationState as NotificationState) };
}
