import { lastSeenAtMs } from "../realms/realm-liveness.ts";
import type { ActiveReadModel, RealmViews } from "./active-read-model.ts";
import type { FreshnessTracker } from "./freshness-tracker.ts";
import type { LivenessTracker } from "./liveness-tracker.ts";

/** Realms as clients see them: liveness and freshness as of the call. */
export const realmViewsOf =
  (options: {
    readonly liveness: LivenessTracker;
    readonly freshness: FreshnessTracker;
    /** Read model whose rows are compared with the realms' claims. */
    readonly model: () => Pick<ActiveReadModel, "isRebuilding" | "storeError">;
  }): RealmViews =>
  (plan, toggles) =>
    [...plan.values()].map((entry) => {
      const { liveness, freshness } = options;
      const { name, description, labels } = entry;
      const model = options.model();
      const isReachable = liveness.isReachable(entry);
      const view = freshness.view(entry, {
        isReachable,
        isKnown: liveness.of(name).heartbeatAtMs !== undefined,
        isRebuilding: model.isRebuilding(name),
        storeError: model.storeError(name),
      });
      return {
        name,
        description,
        labels,
        reachable: isReachable,
        lastSeenAtMs: lastSeenAtMs(liveness.of(name)),
        clockSkewMs: liveness.of(name).clockSkewMs,
        toggles: toggles(name),
        ...view,
      };
    });
