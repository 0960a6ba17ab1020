import type { ObjectPlan } from "@realmwatch/shared/config/plan";
import type { Author } from "@realmwatch/shared/model/author";
import type { Activation } from "@realmwatch/shared/model/downtime";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import type { ObjectContext } from "./object-context.ts";
import type { ObjectState } from "./state/object-state.ts";

/** Inputs of a step beside the object's own state and the input itself. */
export type StepContext = {
  readonly plan: ObjectPlan;
  readonly objectContext: ObjectContext;
  readonly nowMs: number;
};

/** Selects a host's parents or children by their current state; see `matchesNeighbourFilter`. */
export type NeighbourFilter = "all" | "up" | "not_up" | "not_unreachable";

/** Request of a step to the realm loop. Follow-ups are not part of the state. */
export type FollowUp =
  /** On-demand check of this service's host. */
  | { readonly kind: "check_host" }
  /** On-demand check of this service's host even if its last result is recent: a notification waits for it. */
  | { readonly kind: "await_host" }
  /** On-demand checks of this host's parents or children. */
  | { readonly kind: "check_parents"; readonly which: NeighbourFilter }
  | { readonly kind: "check_children"; readonly which: NeighbourFilter }
  /** On-demand checks of the objects that the dependencies of this object read: its problem is about to turn hard. */
  | { readonly kind: "check_dependencies" }
  /** Downtimes that the downtime triggers follow. */
  | DowntimeTrigger;

/** The downtime `id` of any object came into effect, or (`active` undefined) was deleted by `by`. */
export type DowntimeTrigger = {
  readonly kind: "downtime_trigger";
  readonly id: string;
  readonly active: Activation | undefined;
  readonly by?: Author;
};

/** Result of applying one input to one object. */
export type Transition = {
  readonly state: ObjectState;
  readonly history: readonly HistoryEntry[];
  readonly followUps: readonly FollowUp[];
  /** Reason why a result was not accepted; undefined when it was, and for all other inputs. */
  readonly dropped?: DropReason | undefined;
};

/** `stale`: older than the stored result. `passive_off`: submitted while passive checks are off. */
export type DropReason = "stale" | "passive_off";

export const unchanged = (state: ObjectState): Transition => ({ state, history: [], followUps: [] });

/** Runs `second` on the state that `first` produced, and joins both transitions into one. */
export const andThen = (first: Transition, second: (state: ObjectState) => Transition): Transition => {
  const next = second(first.state);
  return {
    state: next.state,
    history: [...first.history, ...next.history],
    followUps: [...first.followUps, ...next.followUps],
    dropped: first.dropped ?? next.dropped,
  };
};
