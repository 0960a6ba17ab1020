export const pairRoles = ["active", "standby", "held", "waiting", "refused"] as const;
/**
 * Role of a member of a pair. `active`: checks, judges, notifies and answers commands. `standby`: follows the journal of
 * the active member and answers reads. `held`: active, but its right to act has ended. `waiting`: waits for the other
 * member, for NATS, or for a person. `refused`: takes no part.
 */
export type PairRole = (typeof pairRoles)[number];

export const takeoverReasons = ["expired", "goodbye", "switch", "forced", "first"] as const;
/** Reason why the active member changed. `first`: the pair's first start. */
export type TakeoverReason = (typeof takeoverReasons)[number];

/** Change of the active member. */
export type PairTakeover = {
  readonly atMs: number;
  /** Member that was active; empty at the first start. */
  readonly from: string;
  readonly to: string;
  readonly reason: TakeoverReason;
  /** Epoch that the new active member minted. */
  readonly term: number;
};

/** State of a pair, as one member knows it. Times without `At` are spans, ms. */
export type PairStatus = {
  /** Name of the member that reports it. */
  readonly self: string;
  readonly role: PairRole;
  /** Name of the active member; empty when unknown. */
  readonly active: string;
  /** Name of the standby; empty when none is known. */
  readonly standby: string;
  /** True while the standby has everything that was accepted. */
  readonly inSync: boolean;
  /** True while the realm would not survive its active member. */
  readonly degraded: boolean;
  /** Age of the oldest change that the standby lacks. */
  readonly lagMs: number;
  /** Epoch of the active member; 0 when unknown. */
  readonly term: number;
  readonly leaseMs: number;
  readonly marginMs: number;
  /** Time until the lease of the active member ends; 0 without one. */
  readonly leaseRemainingMs: number;
  /** Time until the promise of the other member ends; 0 without one. */
  readonly promiseRemainingMs: number;
  /** Reason why the member is held, waiting, refused or degraded; empty otherwise. */
  readonly reason: string;
  /** Time since which the member has its role, Unix ms. */
  readonly sinceMs: number;
  /** True when the members have different configuration documents. */
  readonly documentsDiffer: boolean;
  readonly lastTakeover: PairTakeover | undefined;
  /** Time up to which the rows of a standby are those of the active member, Unix ms; undefined at the active one. */
  readonly asOfMs: number | undefined;
};
