import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, type Result } from "@realmwatch/shared/model/result";
import type { HistoryQuery, ReadModel } from "@realmwatch/shared/read-model/read-model";

type ReadModelGates = {
  /** Current read model; a reload of the realms document replaces it. */
  readonly model: () => ReadModel;
  /** Reason why no query can be answered correctly now; undefined when queries can be answered. */
  readonly unavailableReason: () => string | undefined;
  /** Reason why history cannot be answered correctly; undefined when it can. */
  readonly historyUnavailableReason: (realm: string) => string | undefined;
};

/**
 * Read model that refuses queries as `unavailable`, with the reason, while its data may be incomplete: an answer
 * without rows would look like an environment without problems.
 */
export function gatedReadModel({ model, unavailableReason, historyUnavailableReason }: ReadModelGates): ReadModel {
  const gated = <T>(reason: string | undefined, run: () => Promise<Result<T, Refusal>>): Promise<Result<T, Refusal>> =>
    reason === undefined ? run() : Promise.resolve(fail({ kind: "unavailable", what: reason }));
  return {
    status: (query) =>
      gated(unavailableReason() ?? (query.atMs === undefined ? undefined : historyUnavailableReason(query.realm)), () =>
        model().status(query),
      ),
    objects: (query) => gated(unavailableReason(), () => model().objects(query)),
    history: (query: HistoryQuery) =>
      gated(unavailableReason() ?? historyUnavailableReason(query.realm), () => model().history(query)),
    catalogs: () => gated(unavailableReason(), () => model().catalogs()),
    realms: () => gated(unavailableReason(), () => model().realms()),
  };
}
