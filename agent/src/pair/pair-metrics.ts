import { type PairStatus, takeoverReasons } from "@realmwatch/shared/model/pair-status";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";

/** Counts takeovers by their reason, each once, whether this member is active or not. */
export class TakeoverCounts {
  readonly #counts = new Map<string, number>(takeoverReasons.map((reason) => [reason, 0]));
  #newestTerm = Number.NaN;

  /** Notes the last takeover. The one that was known at the first call happened before this process and is not counted. */
  note({ lastTakeover }: Pick<PairStatus, "lastTakeover">): void {
    const term = lastTakeover?.term ?? 0;
    if (lastTakeover !== undefined && term > this.#newestTerm)
      this.#counts.set(lastTakeover.reason, (this.#counts.get(lastTakeover.reason) ?? 0) + 1);
    if (Number.isNaN(this.#newestTerm) || term > this.#newestTerm) this.#newestTerm = term;
  }

  /** Number of takeovers by reason. */
  read(): readonly (readonly [reason: string, count: number])[] {
    return [...this.#counts];
  }
}

/** Registers the metrics of a member. `status` is read at each scrape, so that they are computed by the clock. */
export function registerPairMetrics(
  metrics: Pick<Metrics, "observableGauges" | "observableCounters">,
  status: () => PairStatus,
  takeovers: TakeoverCounts,
): void {
  takeovers.note(status());
  metrics.observableGauges({
    pair_active: ["1 while this member has the right to act.", () => Number(status().role === "active")],
    pair_in_sync: ["1 while the standby has everything that was accepted.", () => Number(status().inSync)],
    pair_lag_seconds: ["Age of the oldest change that the standby lacks.", () => status().lagMs / 1_000],
    pair_lease_remaining_seconds: [
      "Time until the lease of the active member ends; 0 without one.",
      () => status().leaseRemainingMs / 1_000,
    ],
    pair_documents_differ: [
      "1 while the members have different configuration documents.",
      () => Number(status().documentsDiffer),
    ],
    pair_held: [
      "1 while the right of this active member has ended: it sends nothing.",
      () => Number(status().role === "held"),
    ],
    pair_refused: ["1 while this member refuses to take part.", () => Number(status().role === "refused")],
  });
  metrics.observableCounters({
    pair_takeovers_total: [
      "Changes of the active member that this process has seen, by reason.",
      () => {
        takeovers.note(status());
        return takeovers.read().map(([reason, value]) => ({ labels: { reason }, value }));
      },
      "reason",
    ],
  });
}
