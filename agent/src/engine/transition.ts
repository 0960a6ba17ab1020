import type { HistoryEntry } from "@realmwatch/shared/model/history";
import type { FollowUp } from "./follow-up.ts";
import type { ObjectState } from "./state/object-state.ts";

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
