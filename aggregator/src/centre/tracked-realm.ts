import type { Clock } from "@realmwatch/shared/model/clock";
import type { PairStatus } from "@realmwatch/shared/model/pair-status";
import type { RealmView } from "@realmwatch/shared/model/realm";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { Unpublished } from "@realmwatch/shared/wire/unpublished";
import type { AgentProcess } from "../forward/realm-call.ts";
import { duplicateOf, noInstance, sharedInstance, stateAfterHeard } from "../realms/followed-instance.ts";
import { delayAfterHeartbeat, noHeartbeatDelay } from "../realms/heartbeat-delay.ts";
import type { HistoryClaim } from "../realms/history-page.ts";
import {
  type CatalogFreshness,
  type FreshnessInputs,
  type FreshnessVerdict,
  isUnmatched,
  judgeFreshness,
  noFreshnessState,
  stateAfterClaim,
  stateAfterComparison,
} from "../realms/realm-freshness.ts";
import type { Heartbeat, RealmLiveness } from "../realms/realm-liveness.ts";
import type { RowEvidence } from "../realms/row-evidence.ts";
import type { ModelEvidence } from "./model-evidence.ts";

export type FreshnessView = FreshnessVerdict &
  Pick<RealmView, "behindSinceMs" | "rowsHeld" | "rowsExpected" | "version"> & {
    readonly pair: PairStatus | undefined;
  };

export type FreshnessViewInputs = Pick<FreshnessInputs, "isKnown" | "isReachable" | "isRebuilding"> & {
  /** Reason why rows may be missing, as NATS or Redis report it; empty when unknown. */
  readonly storeError: string;
};

export type SharedLiveness = Pick<RealmLiveness, "instance" | "heartbeatMonotonicMs">;

export type FreshnessOptions = {
  readonly clock: Clock;
  readonly log: Pick<Log, "warn" | "error">;
  readonly evidence: () => ModelEvidence;
};

/** Claims of one realm's heartbeats, compared with what the read model holds of the realm. */
export class TrackedRealm {
  readonly #name: string;
  readonly #options: FreshnessOptions;
  #freshness = noFreshnessState;
  #instances = noInstance;
  /** Last heartbeat of the followed instance; undefined before this aggregator has heard one. */
  #heartbeat: Heartbeat | undefined;
  /** Delay of the heartbeats of its instance. */
  #delay = noHeartbeatDelay;
  #catalog: Omit<CatalogFreshness, "held"> = { claim: undefined, unmatchedSinceMs: undefined };
  /** Time since which something is unpublished; undefined while all is published. */
  #unpublishedSinceMs: number | undefined;

  constructor(name: string, options: FreshnessOptions) {
    this.#name = name;
    this.#options = options;
  }

  /** History records that the realm has as of its last heartbeat. */
  get history(): HistoryClaim | undefined {
    const heartbeat = this.#heartbeat;
    return heartbeat && { firstSeq: heartbeat.firstEventSeq, lastSeq: heartbeat.newest.history };
  }

  /** Instance whose rows and commands count; empty before the first heartbeat. */
  get followedInstance(): string {
    return this.#instances.followed?.instance ?? "";
  }

  /** The same with the start of its process, from the heartbeats that this process has received of it. */
  get followedAgent(): AgentProcess {
    const instance = this.followedInstance;
    return { instance, startedMs: this.#heartbeat?.instance === instance ? this.#delay.offsets?.uptimeMs : undefined };
  }

  /** True when what is held has differed from the claims for so long that it has to be repaired. */
  get isBehind(): boolean {
    // Reading or publishing again repairs no part that NATS refuses.
    const isRepairable = this.#unpublished.every(({ kind }) => kind !== "catalog");
    const nowMs = this.#options.clock.monotonic();
    return isUnmatched(this.#freshness, nowMs) || (isRepairable && isUnmatched(this.#catalog, nowMs));
  }

  /** True when the rows and the catalog that are held matched a claim before. */
  get wasProven(): boolean {
    return this.#rows.wasProven && (this.#parts.wasProven || this.#catalog.claim === undefined);
  }

  /** NATS refuses rows of the realm: a claim is about those that it has stored, which may be old. */
  get #hasRefusedRows(): boolean {
    return this.#unpublished.some(({ kind }) => kind === "row");
  }

  get #unpublished(): readonly Unpublished[] {
    return this.#heartbeat?.unpublished ?? [];
  }

  get #rows(): RowEvidence {
    return this.#options.evidence().of(this.#name);
  }

  get #parts(): RowEvidence {
    return this.#options.evidence().catalogOf(this.#name);
  }

  noteConflict(detail: string, atMs: number): void {
    const { conflict } = this.#freshness;
    if (conflict !== undefined && conflict.atMs >= atMs) return;
    this.#freshness = { ...this.#freshness, conflict: { atMs, detail } };
    if (conflict?.detail !== detail) this.#options.log.error({ realm: this.#name, detail }, "realm is in conflict");
  }

  /** Takes a heartbeat. Returns true when it has a claim, which can be compared. */
  onHeartbeat(heartbeat: Heartbeat, silentAfterMs: number, shared: SharedLiveness | undefined): boolean {
    const { instance, claim, unstoredMs, objects } = heartbeat;
    const atMs = this.#options.clock.monotonic();
    this.#follow(heartbeat, { atMs, silentAfterMs, shared });
    if (this.#instances.followed?.instance !== instance) return false;
    const times = { sentMs: heartbeat.sentAtMs, uptimeMs: heartbeat.uptimeMs, receivedMs: atMs };
    this.#delay = delayAfterHeartbeat(this.#heartbeat?.instance === instance ? this.#delay : noHeartbeatDelay, times);
    this.#heartbeat = heartbeat;
    this.#unpublishedSinceMs = this.#unpublished.length > 0 ? (this.#unpublishedSinceMs ?? atMs) : undefined;
    if (claim === undefined) return false;
    this.#catalog = { ...this.#catalog, claim: heartbeat.catalog };
    if (heartbeat.catalog !== undefined) this.#parts.forgetUpTo(heartbeat.catalog);
    this.#rows.forgetUpTo(claim);
    this.#freshness = stateAfterClaim(this.#freshness, {
      ...{ claim, objects, unstoredMs, nowMs: atMs },
      hasRefusedRows: this.#hasRefusedRows,
      delayMs: this.#delay.delayMs,
    });
    return true;
  }

  #follow(
    { instance, previousInstance, isLeaving }: Heartbeat,
    { atMs, silentAfterMs, shared }: { atMs: number; silentAfterMs: number; shared: SharedLiveness | undefined },
  ): void {
    if (this.#instances.followed === undefined && shared !== undefined)
      this.#instances = sharedInstance(shared.instance, shared.heartbeatMonotonicMs);
    const heard = { instance, previousInstance, isLeaving, atMs };
    this.#instances = stateAfterHeard(this.#instances, heard, silentAfterMs);
    const twins = duplicateOf(this.#instances);
    if (twins === undefined) return;
    const detail = `two agents publish this realm: ${twins.followed}, which is followed, and ${twins.other}`;
    this.noteConflict(detail, twins.atMs);
  }

  /** Compares the claim with what is held. Returns true when both match, undefined before the first claim. */
  compare(): boolean | undefined {
    const { claim } = this.#freshness;
    if (claim === undefined) return undefined;
    const rows = this.#rows;
    const matches = rows.matches(claim);
    this.#freshness = stateAfterComparison(this.#freshness, matches, this.#options.clock.monotonic());
    // An agent that starts claims no row until one is stored: no rows prove nothing about its objects.
    if (matches && claim.rows >= this.#freshness.objects && !this.#hasRefusedRows) rows.prove();
    this.#compareCatalog();
    return this.#freshness.isProven && this.#catalog.unmatchedSinceMs === undefined;
  }

  #compareCatalog(): void {
    const { claim, unmatchedSinceMs } = this.#catalog;
    const parts = this.#parts;
    const matches = claim === undefined || parts.matches(claim);
    if (matches === undefined) return;
    if (matches) parts.prove();
    const nowMs = this.#options.clock.monotonic();
    this.#catalog = { claim, unmatchedSinceMs: matches ? undefined : (unmatchedSinceMs ?? nowMs) };
  }

  view({ storeError, ...inputs }: FreshnessViewInputs): FreshnessView {
    const { clock } = this.#options;
    const nowMs = clock.monotonic();
    const rowsHeld = this.#rows.rows;
    const { error: agentError = "", restoredCopy = "", version = "", claim, pair } = this.#heartbeat ?? {};
    const sendsEvidence = claim !== undefined;
    const verdict = judgeFreshness({
      ...inputs,
      cause: [agentError, storeError].filter((text) => text !== "").join("; "),
      isHeardHere: this.#heartbeat !== undefined,
      agentError,
      wasProven: this.wasProven,
      unpublished: this.#unpublished,
      catalog: { ...this.#catalog, held: this.#parts.rows },
      state: this.#freshness,
      nowMs,
      sendsEvidence,
      rowsHeld,
    });
    const sinceMs = this.#behindSinceMs();
    return {
      ...verdict,
      detail: [verdict.detail, restoredCopy].filter((text) => text !== "").join("; "),
      behindSinceMs:
        verdict.freshness === "behind" && sinceMs !== undefined ? clock.now() - (nowMs - sinceMs) : undefined,
      rowsHeld,
      rowsExpected: sendsEvidence ? this.#freshness.objects : 0,
      version,
      pair,
    };
  }

  /** Earliest monotonic time since which anything is late; undefined when all is in time. */
  #behindSinceMs(): number | undefined {
    const { unmatchedSinceMs, uncovered } = this.#freshness;
    return [unmatchedSinceMs, uncovered?.sinceMs, this.#unpublishedSinceMs, this.#catalog.unmatchedSinceMs]
      .filter((ms) => ms !== undefined)
      .reduce<number | undefined>((least, ms) => Math.min(least ?? ms, ms), undefined);
  }
}
