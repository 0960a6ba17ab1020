import type { PairStatus } from "./pair-status.ts";
import type { Labels } from "./row.ts";
import type { ProgramToggles } from "./toggles.ts";

export const realmFreshnesses = ["current", "behind", "rebuilding", "conflict", "unreachable", "unknown"] as const;
/**
 * Evidence about the rows of a realm. `current`: the rows held are those that the realm has published. `behind`: rows are
 * missing, old or too many. `rebuilding`: they are being read again. `conflict`: two agents use the name, or its epochs
 * are refused. `unreachable`: no heartbeat for `unreachable_after`. `unknown`: none since this aggregator's start.
 */
export type RealmFreshness = (typeof realmFreshnesses)[number];

/** One realm in the view of an aggregator. */
export type RealmView = {
  readonly name: string;
  readonly reachable: boolean;
  /** Time of the last message from the realm, Unix ms; undefined when there was none. */
  readonly lastSeenAtMs: number | undefined;
  readonly description: string;
  readonly labels: Labels;
  /** The realm's clock minus the aggregator's, ms; undefined when unknown. */
  readonly clockSkewMs: number | undefined;
  readonly toggles: ProgramToggles | undefined;
  readonly freshness: RealmFreshness;
  /** Time since which rows are missing or old, Unix ms; undefined when they are not. */
  readonly behindSinceMs: number | undefined;
  /** Number of rows that the aggregator holds. */
  readonly rowsHeld: number;
  /** Number of rows that the realm has published, by its own account; 0 when unknown. */
  readonly rowsExpected: number;
  /** Cause of a freshness other than `current`, as far as it is known; else empty. */
  readonly detail: string;
  /** Version of the realm's agent; empty when unknown. */
  readonly version: string;
  /** Pair of agents that serves the realm, as its active member said last; absent without a pair. */
  readonly pair?: PairStatus | undefined;
};

/** Pattern of valid realm names. */
export const realmNamePattern = /^[a-z][a-z0-9-]{0,62}$/;
