import type { Clock } from "@realmwatch/shared/model/clock";
import type { RealmView } from "@realmwatch/shared/model/realm";
import type { ProgramToggles } from "@realmwatch/shared/model/toggles";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { ProvenRows } from "../ingest/prune-removed.ts";
import type { HistoryClaim } from "../realms/history-page.ts";
import { lastSeenAtMs } from "../realms/realm-liveness.ts";
import type { RealmEntry } from "../realms/realms-document.ts";
import type { RealmViews } from "./active-read-model.ts";
import { type FreshnessTracker, openFreshnessTracker } from "./freshness-tracker.ts";
import { type LivenessTracker, openLivenessTracker } from "./liveness-tracker.ts";
import type { ReadModels } from "./read-models.ts";

/** State of the realms beside their rows: liveness and freshness. Survives reloads of the realms document. */
export class RealmTracking {
  readonly liveness: LivenessTracker;
  readonly freshness: FreshnessTracker;
  readonly #models: ReadModels;
  readonly #stopLogging: () => void;

  constructor(models: ReadModels, { clock, log }: { readonly clock: Clock; readonly log: Log }) {
    this.#models = models;
    this.liveness = openLivenessTracker(clock, log);
    this.freshness = openFreshnessTracker({ clock, log, evidence: () => models.current().evidence });
    this.#stopLogging = this.liveness.logChanges(models.plan);
  }

  /** Realms as clients see them, as of the call. */
  readonly views: RealmViews = (plan, toggles) =>
    [...plan.values()].map((entry) => this.#view(entry, toggles(entry.name)));

  /** History records that each realm has; undefined for a realm that is not heard now. */
  historyClaims(): ReadonlyMap<string, HistoryClaim | undefined> {
    const { liveness, freshness } = this;
    const claimOf = (entry: RealmEntry): HistoryClaim | undefined =>
      liveness.isReachable(entry) ? freshness.historyClaim(entry.name) : undefined;
    return new Map([...this.#models.current().plan.values()].map((entry) => [entry.name, claimOf(entry)]));
  }

  /** True while the rows of a reachable realm differ from what it has published, and are not being read. */
  isBehind(realm: string): boolean {
    const { plan, isRebuilding } = this.#models.current();
    const entry = plan.get(realm);
    if (entry === undefined || isRebuilding(realm)) return false;
    return this.liveness.isReachable(entry) && this.freshness.isBehind(realm);
  }

  /** Rows of a realm; undefined while they are not proven to be those that it has published. */
  provenRows(realm: string): ProvenRows | undefined {
    const { plan, holds, evidence } = this.#models.current();
    const entry = plan.get(realm);
    const view = entry && this.#view(entry, undefined);
    if (view?.freshness !== "current" || view.rowsHeld !== view.rowsExpected) return undefined;
    return { holds: (key) => holds(realm, key), epoch: evidence.newest(realm).epoch };
  }

  /** Reason why a realm is silent now that was heard here; undefined for another one. */
  silentReason(entry: RealmEntry): string | undefined {
    // A heartbeat that only the store holds may be old because no aggregator ran: the realm may live.
    return this.liveness.of(entry.name).isReceivedHere ? this.liveness.unreachableReason(entry) : undefined;
  }

  close(): void {
    this.#stopLogging();
    this.freshness.close();
  }

  #view(entry: RealmEntry, toggles: ProgramToggles | undefined): RealmView {
    const { name, description, labels } = entry;
    const { isRebuilding, storeError } = this.#models.current();
    const { heartbeatAtMs, clockSkewMs } = this.liveness.of(name);
    const isReachable = this.liveness.isReachable(entry);
    const freshness = this.freshness.view(entry, {
      isReachable,
      isKnown: heartbeatAtMs !== undefined,
      isRebuilding: isRebuilding(name),
      storeError: storeError(name),
    });
    return {
      ...{ name, description, labels, toggles, clockSkewMs },
      reachable: isReachable,
      lastSeenAtMs: lastSeenAtMs(this.liveness.of(name)),
      ...freshness,
    };
  }
}
