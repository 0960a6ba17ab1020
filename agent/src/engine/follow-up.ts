import type { Author } from "@realmwatch/shared/model/author";
import type { Activation } from "@realmwatch/shared/model/downtime";

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
