import type { RealmFreshness } from "@realmwatch/shared/model/realm";
import type { RowClaim } from "./row-evidence.ts";

/** State of the comparison between a realm's claims and the rows held. Times are monotonic, ms. */
export type FreshnessState = {
  /** Claim that is compared now; undefined before the first one. */
  readonly claim: RowClaim | undefined;
  /** True when the last comparison matched. */
  readonly isProven: boolean;
  /** True when any comparison has matched since this aggregator's start. */
  readonly wasProven: boolean;
  /** Time since which no claim has matched; undefined while the last one does. */
  readonly unmatchedSinceMs: number | undefined;
  /** Time at which a second agent or a refused epoch was last seen, and its description. */
  readonly conflict: { readonly atMs: number; readonly detail: string } | undefined;
};

export const noFreshnessState: FreshnessState = {
  claim: undefined,
  isProven: false,
  wasProven: false,
  unmatchedSinceMs: undefined,
  conflict: undefined,
};

/** Time without a match after which a realm counts as behind, ms. */
export const behindAfterMs = 5_000;
/** Time for which a conflict is shown after it was last seen, ms. */
export const conflictForMs = 60_000;

/** State after a claim arrived. The earlier `unmatchedSinceMs` stays: only a match ends it. */
export const stateAfterClaim = (state: FreshnessState, claim: RowClaim): FreshnessState => ({ ...state, claim });

/** State after the rows held were compared with the current claim. `matches` undefined: it could not be decided. */
export function stateAfterComparison(
  state: FreshnessState,
  matches: boolean | undefined,
  nowMs: number,
): FreshnessState {
  if (matches === undefined) return state;
  if (matches) return { ...state, isProven: true, wasProven: true, unmatchedSinceMs: undefined };
  return { ...state, isProven: false, unmatchedSinceMs: state.unmatchedSinceMs ?? nowMs };
}

export type FreshnessInputs = {
  readonly state: FreshnessState;
  readonly nowMs: number;
  /** A heartbeat arrived at this aggregator, or at another one that shared it, since the start. */
  readonly isKnown: boolean;
  readonly isReachable: boolean;
  /** The rows are being read from the stream again. */
  readonly isRebuilding: boolean;
  /** The realm's agent sends claims. */
  readonly sendsEvidence: boolean;
  readonly rowsHeld: number;
  /** Reason why rows may be missing, as the agent, NATS or Redis report it; empty when unknown. */
  readonly cause: string;
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
  if (inputs.isRebuilding) return { freshness: "rebuilding", detail: "the rows are being read from NATS again" };
  if (!inputs.sendsEvidence) return { freshness: "current", detail: unproven };
  if (isBehind(state, nowMs)) return { freshness: "behind", detail: cause || missingRows(inputs) };
  if (!state.wasProven) return { freshness: "rebuilding", detail: "the rows have not been proven yet" };
  return { freshness: "current", detail: "" };
}

const unproven = "the agent sends no evidence about its rows: they are not proven";

export const isBehind = ({ unmatchedSinceMs }: FreshnessState, nowMs: number): boolean =>
  unmatchedSinceMs !== undefined && nowMs - unmatchedSinceMs >= behindAfterMs;

function missingRows({ state: { claim }, rowsHeld }: FreshnessInputs): string {
  const expected = claim?.rows ?? 0;
  if (rowsHeld < expected) return `${expected - rowsHeld} of ${expected} rows are missing`;
  if (rowsHeld > expected) return `${rowsHeld - expected} rows are held that the realm has removed`;
  return `rows are older than those that the realm has published`;
}
