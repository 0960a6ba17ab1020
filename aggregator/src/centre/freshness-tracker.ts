import type { Clock } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { rowDigestTerm } from "@realmwatch/shared/platform/row-digest";
import type { HeldVersionChange } from "@realmwatch/shared/read-model/rows/row-store";
import type { RowVersion } from "@realmwatch/shared/row/row";
import { objectToken } from "@realmwatch/shared/wire/nats/nats-subjects";
import type { Unpublished } from "@realmwatch/shared/wire/unpublished";
import type { AgentProcess } from "../forward/realm-call.ts";
import {
  duplicateOf,
  type InstanceState,
  noInstance,
  sharedInstance,
  stateAfterHeard,
} from "../realms/followed-instance.ts";
import { delayAfterHeartbeat, type HeartbeatDelay, noHeartbeatDelay } from "../realms/heartbeat-delay.ts";
import type { HeldPartChange } from "../realms/held-catalog.ts";
import type { HistoryClaim } from "../realms/history-claim.ts";
import {
  type CatalogFreshness,
  type FreshnessState,
  type FreshnessVerdict,
  isBehind,
  isCatalogBehind,
  judgeFreshness,
  noFreshnessState,
  stateAfterClaim,
  stateAfterComparison,
} from "../realms/realm-freshness.ts";
import type { Heartbeat, RealmLiveness } from "../realms/realm-liveness.ts";
import type { RealmEntry } from "../realms/realms-document.ts";
import { RowEvidence } from "../realms/row-evidence.ts";

/** Evidence of all realms of one read model: which rows it holds. */
export type ModelEvidence = {
  readonly onVersion: (change: HeldVersionChange) => void;
  of(realm: string): RowEvidence;
  readonly onCatalogPart: (change: HeldPartChange) => void;
  /** Parts of the catalog that are held, as the rows are. */
  catalogOf(realm: string): RowEvidence;
  /** Newest version held of a realm; epoch 0 for none. */
  newest(realm: string): RowVersion;
  forget(realm: string): void;
};

const noVersion: RowVersion = { epoch: 0, revision: 0 };

export function openModelEvidence(): ModelEvidence {
  const newest = new Map<string, RowVersion>();
  const rows = new Map<string, RowEvidence>();
  const catalogs = new Map<string, RowEvidence>();
  const of = (realm: string): RowEvidence => evidenceOf(rows, realm);
  const catalogOf = (realm: string): RowEvidence => evidenceOf(catalogs, realm);
  const isNewer = (a: RowVersion, b: RowVersion): boolean =>
    a.epoch > b.epoch || (a.epoch === b.epoch && a.revision > b.revision);
  const termOf = (token: string, version: RowVersion | undefined): bigint =>
    version === undefined ? 0n : rowDigestTerm(token, version.epoch, version.revision);
  return {
    of,
    catalogOf,
    onCatalogPart({ realm, token, before, after, by: { epoch, revision: published } }) {
      const terms = { termBefore: termOf(token, before), termAfter: termOf(token, after) };
      catalogOf(realm).record({ ...terms, epoch, published });
    },
    newest: (realm) => newest.get(realm) ?? noVersion,
    forget(realm) {
      rows.get(realm)?.clear();
      catalogs.get(realm)?.clear();
      newest.delete(realm);
    },
    onVersion({ realm, key, before, after, published }) {
      const token = objectToken(key);
      const terms = { termBefore: termOf(token, before), termAfter: termOf(token, after) };
      const version = after ?? before ?? noVersion;
      of(realm).record({ ...terms, epoch: version.epoch, published });
      if (isNewer(version, newest.get(realm) ?? noVersion)) newest.set(realm, version);
    },
  };
}

function evidenceOf(byRealm: Map<string, RowEvidence>, realm: string): RowEvidence {
  const known = byRealm.get(realm);
  if (known !== undefined) return known;
  const evidence = new RowEvidence();
  byRealm.set(realm, evidence);
  return evidence;
}

/** Time that another heartbeat may take before the realm's claim is compared again, ms. */
const compareEveryMs = 250;

type FreshnessView = FreshnessVerdict & {
  readonly behindSinceMs: number | undefined;
  readonly rowsHeld: number;
  readonly rowsExpected: number;
  readonly version: string;
};

type SharedLiveness = Pick<RealmLiveness, "instance" | "heartbeatMonotonicMs">;

export type FreshnessTracker = {
  /**
   * Takes the claim and the instance of a heartbeat.
   *
   * @param shared liveness of the realm before this heartbeat
   */
  onHeartbeat(heartbeat: Heartbeat, silentAfterMs: number, shared?: SharedLiveness): void;
  /** Notes that messages of the realm have an epoch or revision that no clock explains. */
  onRefusedEpoch(realm: string, what: string): void;
  /** Instance whose rows and commands count; empty before the first heartbeat. */
  followedInstance(realm: string): string;
  /** The same with the start of its process, from the heartbeats that this process has received of it. */
  followedAgent(realm: string): AgentProcess;
  isBehind(realm: string): boolean;
  forget(realm: string): void;
  /** History records that the realm has; undefined before its first heartbeat. */
  historyClaim(realm: string): HistoryClaim | undefined;
  view(entry: RealmEntry, inputs: FreshnessViewInputs): FreshnessView;
  close(): void;
};

type FreshnessViewInputs = {
  readonly isKnown: boolean;
  readonly isReachable: boolean;
  readonly isRebuilding: boolean;
  /** Reason why rows may be missing, as NATS or Redis report it; empty when unknown. */
  readonly storeError: string;
};

type TrackedRealm = {
  freshness: FreshnessState;
  instances: InstanceState;
  /** The followed instance was heard by this aggregator. */
  isHeardHere: boolean;
  sendsEvidence: boolean;
  delay: HeartbeatDelay;
  /** Instance whose heartbeats were delayed so. */
  delayOf: string;
  version: string;
  agentError: string;
  restoredCopy: string;
  catalog: Omit<CatalogFreshness, "held">;
  unpublished: readonly Unpublished[];
  /** Time since which something is unpublished; undefined while all is published. */
  unpublishedSinceMs: number | undefined;
  /** History records that the realm has as of its last heartbeat. */
  history: HistoryClaim | undefined;
};

/** Compares what realms claim to have published with the rows of the read model that answers queries. */
export function openFreshnessTracker(options: {
  readonly clock: Clock;
  readonly log: Pick<Log, "warn" | "error">;
  readonly evidence: () => ModelEvidence;
}): FreshnessTracker {
  const { clock, log } = options;
  const realms = new Map<string, TrackedRealm>();
  const unmatched = new Set<string>();
  let cancel = (): void => {};

  function tracked(realm: string): TrackedRealm {
    const known = realms.get(realm);
    if (known !== undefined) return known;
    const fresh = {
      freshness: noFreshnessState,
      instances: noInstance,
      isHeardHere: false,
      sendsEvidence: false,
      delay: noHeartbeatDelay,
      delayOf: "",
      version: "",
      agentError: "",
      restoredCopy: "",
      catalog: { claim: undefined, unmatchedSinceMs: undefined },
      unpublished: [],
      unpublishedSinceMs: undefined,
      history: undefined,
    };
    realms.set(realm, fresh);
    return fresh;
  }

  function compare(name: string): void {
    const realm = tracked(name);
    const { claim } = realm.freshness;
    if (claim === undefined) return;
    const evidence = options.evidence().of(name);
    const matches = evidence.matches(claim);
    realm.freshness = stateAfterComparison(realm.freshness, matches, clock.monotonic());
    // An agent that starts claims no row until one is stored: no rows prove nothing about its objects.
    if (matches && claim.rows >= realm.freshness.objects) evidence.prove();
    compareCatalog(name, realm);
    if (realm.freshness.isProven && realm.catalog.unmatchedSinceMs === undefined) unmatched.delete(name);
    else unmatched.add(name);
    if (unmatched.size === 0) return;
    cancel();
    cancel = clock.after(compareEveryMs, () => {
      for (const waiting of [...unmatched]) compare(waiting);
    });
  }

  function compareCatalog(name: string, realm: TrackedRealm): void {
    const { claim, unmatchedSinceMs } = realm.catalog;
    const evidence = options.evidence().catalogOf(name);
    const matches = claim === undefined || evidence.matches(claim);
    if (matches === undefined) return;
    if (matches) evidence.prove();
    realm.catalog = { claim, unmatchedSinceMs: matches ? undefined : (unmatchedSinceMs ?? clock.monotonic()) };
  }

  function noteConflict(name: string, detail: string, atMs = clock.monotonic()): void {
    const realm = tracked(name);
    const { conflict } = realm.freshness;
    if (conflict !== undefined && conflict.atMs >= atMs) return;
    const isNews = conflict?.detail !== detail;
    realm.freshness = { ...realm.freshness, conflict: { atMs, detail } };
    if (isNews) log.error({ realm: name, detail }, "realm is in conflict");
  }

  const followedInstance = (realm: string): string => realms.get(realm)?.instances.followed?.instance ?? "";

  return {
    onHeartbeat(heartbeat, silentAfterMs, shared) {
      const { realm: name, instance, previousInstance, isLeaving, claim, unstoredMs } = heartbeat;
      const realm = tracked(name);
      const atMs = clock.monotonic();
      if (realm.instances.followed === undefined && shared !== undefined)
        realm.instances = sharedInstance(shared.instance, shared.heartbeatMonotonicMs);
      const heard = { instance, previousInstance, isLeaving, atMs };
      realm.instances = stateAfterHeard(realm.instances, heard, silentAfterMs);
      const twins = duplicateOf(realm.instances);
      if (twins !== undefined)
        noteConflict(
          name,
          `two agents publish this realm: ${twins.followed}, which is followed, and ${twins.other}`,
          twins.atMs,
        );
      if (realm.instances.followed?.instance !== instance) return;
      realm.isHeardHere = true;
      const isSuccessor = instance !== realm.delayOf;
      const times = { sentMs: heartbeat.sentAtMs, uptimeMs: heartbeat.uptimeMs, receivedMs: atMs };
      realm.delay = delayAfterHeartbeat(isSuccessor ? noHeartbeatDelay : realm.delay, times);
      realm.delayOf = instance;
      realm.version = heartbeat.version;
      realm.agentError = heartbeat.error;
      realm.restoredCopy = heartbeat.restoredCopy;
      realm.unpublished = heartbeat.unpublished;
      realm.unpublishedSinceMs = realm.unpublished.length > 0 ? (realm.unpublishedSinceMs ?? atMs) : undefined;
      realm.history = { firstSeq: heartbeat.firstEventSeq, lastSeq: heartbeat.newest.history };
      realm.sendsEvidence = claim !== undefined;
      if (claim === undefined) return;
      realm.catalog = { ...realm.catalog, claim: heartbeat.catalog };
      if (heartbeat.catalog !== undefined) options.evidence().catalogOf(name).forgetUpTo(heartbeat.catalog);
      options.evidence().of(name).forgetUpTo(claim);
      const { delayMs } = realm.delay;
      realm.freshness = stateAfterClaim(realm.freshness, {
        claim,
        objects: heartbeat.objects,
        unstoredMs,
        delayMs,
        nowMs: atMs,
      });
      compare(name);
    },
    onRefusedEpoch: (realm, what) => noteConflict(realm, what),
    followedInstance,
    followedAgent(name) {
      const instance = followedInstance(name);
      const realm = realms.get(name);
      return { instance, startedMs: realm?.delayOf === instance ? realm.delay.offsets?.uptimeMs : undefined };
    },
    forget(realm) {
      realms.delete(realm);
      unmatched.delete(realm);
    },
    historyClaim: (realm) => tracked(realm).history,
    isBehind(name) {
      const { freshness, catalog, unpublished } = tracked(name);
      // Reading or publishing again repairs no part that NATS refuses.
      const isRepairable = unpublished.every(({ kind }) => kind !== "catalog");
      const nowMs = clock.monotonic();
      return isBehind(freshness, nowMs) || (isRepairable && isCatalogBehind(catalog, nowMs));
    },
    view({ name }, { storeError, ...inputs }) {
      const realm = tracked(name);
      const [rows, parts] = [options.evidence().of(name), options.evidence().catalogOf(name)];
      const wasProven = (): boolean => rows.wasProven && (parts.wasProven || realm.catalog.claim === undefined);
      // A heartbeat that would show it may be seconds away.
      if (!wasProven()) compare(name);
      const nowMs = clock.monotonic();
      const cause = [realm.agentError, storeError].filter((text) => text !== "").join("; ");
      const verdict = judgeFreshness({
        ...inputs,
        cause,
        isHeardHere: realm.isHeardHere,
        agentError: realm.agentError,
        wasProven: wasProven(),
        unpublished: realm.unpublished,
        catalog: { ...realm.catalog, held: parts.rows },
        state: realm.freshness,
        nowMs,
        sendsEvidence: realm.sendsEvidence,
        rowsHeld: rows.rows,
      });
      const { unmatchedSinceMs, uncovered } = realm.freshness;
      const since = [unmatchedSinceMs, uncovered?.sinceMs, realm.unpublishedSinceMs, realm.catalog.unmatchedSinceMs]
        .filter((ms) => ms !== undefined)
        .reduce<number | undefined>((least, ms) => Math.min(least ?? ms, ms), undefined);
      const isLate = verdict.freshness === "behind" && since !== undefined;
      return {
        ...verdict,
        detail: [verdict.detail, realm.restoredCopy].filter((text) => text !== "").join("; "),
        behindSinceMs: isLate ? clock.now() - (nowMs - since) : undefined,
        rowsHeld: rows.rows,
        rowsExpected: realm.sendsEvidence ? realm.freshness.objects : 0,
        version: realm.version,
      };
    },
    close: () => cancel(),
  };
}
