import type { Labels } from "./row.ts";
import type { ProgramToggles } from "./toggles.ts";

/** One realm as an aggregator sees it. */
export type RealmView = {
  readonly name: string;
  readonly reachable: boolean;
  /** Unix ms; undefined where nothing was ever heard. */
  readonly lastSeenAtMs: number | undefined;
  readonly description: string;
  readonly labels: Labels;
  /** The realm's clock less ours, ms; undefined where unknown. */
  readonly clockSkewMs: number | undefined;
  readonly toggles: ProgramToggles | undefined;
};

/** What a realm's name looks like. */
export const realmNamePattern = /^[a-z][a-z0-9-]{0,62}$/;
