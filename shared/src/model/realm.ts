import type { Labels } from "./row.ts";
import type { ProgramToggles } from "./toggles.ts";

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
};

/** Pattern of valid realm names. */
export const realmNamePattern = /^[a-z][a-z0-9-]{0,62}$/;
