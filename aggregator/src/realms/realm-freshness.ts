import type { RealmFreshness } from "@realmwatch/shared/model/realm";
import { describeUnpublished, type Unpublished } from "@realmwatch/shared/wire/unpublished";
import type { RowClaim } from "./row-evidence.ts";

/** State of the comparison between a realm's claims and the rows held. Times are monotonic, ms. */
export type FreshnessState = {
  /** Claim that is compared now; undefined before the first one. */
  readonly claim: RowClaim | undefined;
  /** Time up to which the claim covers all changes of rows: later ones were not stored, or it was on its way. */
  readonly coversToMs: number | undefined;
  /** True when the last comparison matched. */
  readonly isProven: boolean;
  /** Number of objects that the realm has, also while their rows wait to be published. */
  readonly objects: number;
  /**
   * Time up to which the last claim that matched covers all changes: the rows held were those of that time. The time of
   * the match itself may be seconds later. Undefined before the first match.
   */
  readonly provenToMs: number | undefined;
  /** Time since which no claim has matched; undefined while the last one does. */
  readonly unmatchedSinceMs: number | undefined;
  /**
   * Time since which changed rows are not covered, because NATS had not stored one or the claim was late; undefined when
   * that was only for a moment.
   */
  readonly uncovered: UncoveredTime | undefined;
  /** Time at which a second agent or a refused epoch was last seen, and its description. */
  readonly conflict: { readonly atMs: number; readonly detail: string } | undefined;
};

type UncoveredTime = {
  readonly sinceMs: number;
  readonly claimedAtMs: number;
  /** True when the claim was late for longer than a change was not stored. */
  readonly isLate: boolean;
};

export const noFreshnessState: FreshnessState = {
  claim: undefined,
  objects: 0,
  coversToMs: undefined,
  isProven: false,
  provenToMs: undefined,
  unmatchedSinceMs: undefined,
  uncovered: undefined,
  conflict: undefined,
};

/** Time without a match after which a realm counts as behind, ms. */
const behindAfterMs = 5_000;
/**
 * Age of what a claim does not cover from which on the next claim must not be overdue, ms. With an unstored change of
 * that age the agent sends a heartbeat every two seconds.
 */
const notedFromMs = 1_000;
/** Time for which a conflict is shown after it was last seen, ms. */
const conflictForMs = 60_000;

/** Claim as it arrived. */
type ArrivedClaim = {
  readonly claim: RowClaim;
  readonly objects: number;
  /** Age of the oldest change that it does not cover because NATS has not stored it, ms; 0 for none. */
  readonly unstoredMs: number;
  /** NATS refuses changed rows, whose age is not in `unstoredMs`. */
  readonly hasRefusedRows: boolean;
  /** Time that the claim was on its way, ms. */
  readonly delayMs: number;
  readonly nowMs: number;
};

/** State after a claim arrived. The earlier `unmatchedSinceMs` stays: only a match ends it. */
export function stateAfterClaim(
  state: FreshnessState,
  { claim, objects, unstoredMs, hasRefusedRows, delayMs, nowMs }: ArrivedClaim,
): FreshnessState {
  // [FD55] A claim that was held back says nothing about the rows that changed since.
  const behindMs = unstoredMs + delayMs;
  const sinceMs = nowMs - behindMs;
  // [FD70] The rows that are stored may be as old as the first refusal, which came after the last claim without one.
  const coversToMs = hasRefusedRows ? state.coversToMs : sinceMs;
  const uncovered = { sinceMs, claimedAtMs: nowMs, isLate: delayMs > unstoredMs };
  return { ...state, claim, objects, coversToMs, uncovered: behindMs >= notedFromMs ? uncovered : undefined };
}

/** State after the rows held were compared with the current claim. `matches` undefined: it could not be decided. */
export function stateAfterComparison(
  state: FreshnessState,
  matches: boolean | undefined,
  nowMs: number,
): FreshnessState {
  if (matches === undefined) return state;
  if (matches) {
    return { ...state, isProven: true, provenToMs: state.coversToMs, unmatchedSinceMs: undefined };
  }
  return { ...state, isProven: false, unmatchedSinceMs: state.unmatchedSinceMs ?? nowMs };
}

export type FreshnessInputs = {
  readonly state: FreshnessState;
  readonly nowMs: number;
  /** A heartbeat arrived at this aggregator, or at another one that shared it, since the start. */
  readonly isKnown: boolean;
  /** A heartbeat arrived at this aggregator since its start. One that another aggregator shared says nothing of rows. */
  readonly isHeardHere: boolean;
  readonly isReachable: boolean;
  /** The rows are being read from the stream again. */
  readonly isRebuilding: boolean;
  /** The realm's agent sends claims. */
  readonly sendsEvidence: boolean;
  /** The rows and the catalog held have matched a claim, and nothing was removed since without a message of the realm. */
  readonly wasProven: boolean;
  /** Rows, catalog parts and history records that the realm has and NATS does not store. */
  readonly unpublished: readonly Unpublished[];
  readonly rowsHeld: number;
  readonly catalog: CatalogFreshness;
  /** Reason why rows may be missing, as the agent, NATS or Redis report it; empty when unknown. */
  readonly cause: string;
  /** Error that the agent reports, which may not have an effect yet; empty for none. */
  readonly agentError: string;
};

export type FreshnessVerdict = { readonly freshness: RealmFreshness; readonly detail: string };

/** Freshness of a realm: the first state that applies, from the least evidence to the most. */
export function judgeFreshness(inputs: FreshnessInputs): FreshnessVerdict {
  const { state, nowMs, cause } = inputs;
  if (!inputs.isKnown) return { freshness: "unknown", detail: cause || "no heartbeat has arrived yet" };
  if (!inputs.isReachable) return { freshness: "unreachable", detail: cause };
  const { conflict } = state;
  if (conflict !== undefined && nowMs - conflict.atMs < conflictForMs)
    return { freshness: "conflict", detail: conflict.detail };
  if (!inputs.isHeardHere) return { freshness: "unknown", detail: cause || "no heartbeat has arrived here yet" };
  if (inputs.isRebuilding) return { freshness: "rebuilding", detail: "the rows are being read from NATS again" };
  if (!inputs.sendsEvidence) return { freshness: "current", detail: unproven };
  // [FD70] The claim is about all that the realm has, whether or not it could be published.
  const unpublished = describeUnpublished(inputs.unpublished);
  if (unpublished !== "")
    return { freshness: "behind", detail: [unpublished, cause].filter((text) => text !== "").join("; ") };
  if (isUnmatched(state, nowMs) || isUnproven(state, nowMs))
    return { freshness: "behind", detail: cause || missingRows(inputs) };
  if (isUncovered(state, nowMs))
    return { freshness: "behind", detail: cause || (state.uncovered?.isLate ? lateDetail : unstoredDetail) };
  if (isUnmatched(inputs.catalog, nowMs)) return { freshness: "behind", detail: cause || missingParts(inputs.catalog) };
  if (!inputs.wasProven) return { freshness: "rebuilding", detail: "the rows have not been proven yet" };
  return { freshness: "current", detail: inputs.agentError };
}

const unproven = "the agent sends no evidence about its rows: they are not proven";

const unstoredDetail = "the realm has changed rows that NATS has not stored yet";

/** Without the delay itself, which differs with each heartbeat: each new text is sent to every dashboard. */
const lateDetail = "the realm's heartbeats arrive seconds late: changes may be missing";

/**
 * Time since the end of what was proven after which a claim that does not match shows at once that rows are missing, and
 * age of what a claim does not cover after which a further claim is not awaited, ms. Without it the time in which a
 * change was not stored and the time in which it then did not match would add up.
 */
const unprovenAfterMs = 8_000;

/** True when the rows held differ from the claim, and were proven too long ago: between two claims they may differ unseen. */
const isUnproven = ({ unmatchedSinceMs, provenToMs = never }: FreshnessState, nowMs: number): boolean =>
  unmatchedSinceMs !== undefined && nowMs - provenToMs >= unprovenAfterMs;

const never = Number.POSITIVE_INFINITY;

/**
 * True when changed rows are not covered for too long, as of the claim, or as far as is known since: the claim that would
 * cover them is overdue.
 */
const isUncovered = ({ uncovered }: FreshnessState, nowMs: number): boolean =>
  uncovered !== undefined &&
  (uncovered.claimedAtMs - uncovered.sinceMs >= behindAfterMs || nowMs - uncovered.sinceMs >= unprovenAfterMs);

/** Comparison of the catalog held with the realm's claim. */
export type CatalogFreshness = {
  /** Newest claim; undefined from an agent that sends none. */
  readonly claim: RowClaim | undefined;
  /** Number of parts held. */
  readonly held: number;
  /** Time since which no claim has matched, monotonic, ms; undefined while the last one does. */
  readonly unmatchedSinceMs: number | undefined;
};

/** [FD72] True when what is held, rows or catalog, has differed from the claims for too long. */
export const isUnmatched = ({ unmatchedSinceMs }: Pick<CatalogFreshness, "unmatchedSinceMs">, nowMs: number): boolean =>
  unmatchedSinceMs !== undefined && nowMs - unmatchedSinceMs >= behindAfterMs;

function missingParts({ claim, held }: CatalogFreshness): string {
  const expected = claim?.rows ?? 0;
  return held < expected
    ? `${expected - held} of ${expected} parts of the catalog are missing`
    : "the catalog is older than the one that the realm has published";
}

function missingRows({ state: { claim }, rowsHeld }: FreshnessInputs): string {
  const expected = claim?.rows ?? 0;
  if (rowsHeld < expected) return `${expected - rowsHeld} of ${expected} rows are missing`;
  if (rowsHeld > expected) return `${rowsHeld - expected} rows are held that the realm has removed`;
  return `rows are older than those that the realm has published`;
}
