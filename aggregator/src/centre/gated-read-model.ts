import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, type Result } from "@realmwatch/shared/model/result";
import type { HistoryQuery, ReadModel } from "@realmwatch/shared/read-model/read-model";

export type ReadModelGates = {
  /** The model that answers now: a reload of the realms document swaps it. */
  readonly model: () => ReadModel;
  /** Why nothing can be answered truthfully now; undefined where it can. */
  readonly unavailableReason: () => string | undefined;
  /** The same for history alone. */
  readonly historyUnavailableReason: (realm: string) => string | undefined;
};

/**
 * A read model that says `unavailable`, and why, instead of answering from what may have holes: an answer without
 * rows would look like a world without problems.
 */
export function gatedReadModel({ model, unavailableReason, historyUnavailableReason }: ReadModelGates): ReadModel {
  const gated = <T>(why: string | undefined, ask: () => Promise<Result<T, Refusal>>): Promise<Result<T, Refusal>> =>
    why === undefined ? ask() : Promise.resolve(fail({ kind: "unavailable", what: why }));
  return {
    status: (query) =>
      gated(unavailableReason() ?? (query.atMs === undefined ? undefined : historyUnavailableReason(query.realm)), () =>
        model().status(query),
      ),
    objects: (query) => gated(unavailableReason(), () => model().objects(query)),
    history: (query: HistoryQuery) => gated(unavailableReason() ?? historyUnavailableReason(query.realm), () => model().history(query)),
    catalogs: () => gated(unavailableReason(), () => model().catalogs()),
    realms: () => gated(unavailableReason(), () => model().realms()),
  };
}
