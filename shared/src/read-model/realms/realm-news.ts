import type { RealmView } from "../../model/realm.ts";
import type { RealmChanges, RealmPosition } from "./realm-changes.ts";

/** Realms' part of an answer. */
type RealmNews = {
  readonly realms: readonly RealmView[];
  /** Realms whose rows are sent again, because they became stale or current. */
  readonly repeated: readonly string[];
  /** Realms' part of the revision; empty on an agent. */
  readonly revision: string;
};

/** Realms' part of a client's revision. `position`: undefined when the client has no records. */
export type RealmsRevision = { readonly staleChange: number; readonly position: RealmPosition | undefined };

/**
 * Number of rows that one answer repeats, beyond which the next realm is left to the following one: the failure of NATS
 * makes all rows stale at once, and the records of the realms say so before.
 */
const maxRepeatedRows = 5_000;

type RealmNewsOptions = {
  /** Position of the client; undefined for a full answer. */
  readonly since: RealmsRevision | undefined;
  readonly omitRealms: boolean;
  /** Number of rows of a realm that the client may have. */
  readonly rowsOf: (realm: string) => number;
};

/** [FD50] Records of realms that a client has to receive, and the realms whose rows have become stale or current. */
export function realmNews(changes: RealmChanges, { since, omitRealms, rowsOf }: RealmNewsOptions): RealmNews {
  if (changes.views.length === 0) return { realms: [], repeated: [], revision: "" };
  const repeated = since === undefined ? [] : realmsToRepeat(changes, since.staleChange, rowsOf);
  const staleChange = repeated.at(-1)?.reached ?? changes.newest;
  const { realms, position } = recordsFor(changes, since?.position, omitRealms);
  return {
    realms,
    repeated: repeated.map(({ realm }) => realm),
    revision: formatRealmsRevision({ staleChange, position }),
  };
}

function recordsFor(
  changes: RealmChanges,
  position: RealmPosition | undefined,
  omitRealms: boolean,
): { readonly realms: readonly RealmView[]; readonly position: RealmPosition | undefined } {
  if (omitRealms) return { realms: [], position };
  return position === undefined ? { realms: changes.views, position: changes.position() } : changes.since(position);
}

/** Realms in the order of their changes, each with the change that the client has reached with it. */
function realmsToRepeat(
  changes: RealmChanges,
  since: number,
  rowsOf: RealmNewsOptions["rowsOf"],
): readonly { readonly realm: string; readonly reached: number }[] {
  const due = changes.staleChangesSince(since);
  const portion = [];
  let rows = 0;
  for (const { realm, change } of due) {
    if (rows >= maxRepeatedRows) return portion;
    rows += rowsOf(realm);
    portion.push({ realm, reached: change });
  }
  return portion;
}

const formatRealmsRevision = ({ staleChange, position }: RealmsRevision): string => {
  if (position === undefined) return `${staleChange}`;
  const { change, sweep } = position;
  const sinceMs = Math.max(0, sweep.startedMs - sweep.previousMs);
  return [staleChange, change, sweep.previousMs, sinceMs, sweep.next].join("-");
};

/** Parses the realms' part of a revision; undefined for a text after which changes cannot be listed. */
export function knownRealmsRevision(changes: RealmChanges, text: string): RealmsRevision | undefined {
  if (changes.views.length === 0) return text === "" ? { staleChange: 0, position: undefined } : undefined;
  const revision = parseRealmsRevision(text);
  if (revision === undefined) return undefined;
  const isKnown = (change: number): boolean => change >= changes.forgotten && change <= changes.newest;
  const { staleChange, position } = revision;
  return isKnown(staleChange) && (position === undefined || isKnown(position.change)) ? revision : undefined;
}

function parseRealmsRevision(text: string): RealmsRevision | undefined {
  if (!/^\d{1,15}(-\d{1,15}){0,4}$/.test(text)) return undefined;
  const [staleChange = 0, change, previousMs = 0, sinceMs = 0, next] = text.split("-").map(Number);
  if (change === undefined) return { staleChange, position: undefined };
  if (next === undefined) return undefined;
  return { staleChange, position: { change, sweep: { previousMs, startedMs: previousMs + sinceMs, next } } };
}
