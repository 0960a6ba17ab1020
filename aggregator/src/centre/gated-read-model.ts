import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, type Result } from "@realmwatch/shared/model/result";
import type { HistoryQuery, ReadModel } from "@realmwatch/shared/read-model/read-model";

export type Gates = {
  /** The model that answers now: a reload of the realms document swaps it. */
  readonly model: () => ReadModel;
  /** Why nothing can be answered truthfully now; undefined where it can. */
  readonly trouble: () => string | undefined;
  /** The same for history alone. */
  readonly historyTrouble: (realm: string) => string | undefined;
};

/**
 * A read model that says `unavailable`, and why, instead of answering from what may have holes: an answer without
 * rows would look like a world without problems.
 */
export function gatedReadModel({ model, trouble, historyTrouble }: Gates): ReadModel {
  const gated = <T>(why: string | undefined, ask: () => Promise<Result<T, Refusal>>): Promise<Result<T, Refusal>> =>
    why === undefined ? ask() : Promise.resolve(fail({ kind: "unavailable", what: why }));
  return {
    status: (query) =>
      gated(trouble() ?? (query.atMs === undefined ? undefined : historyTrouble(query.realm)), () =>
        model().status(query),
      ),
    objects: (query) => gated(trouble(), () => model().objects(query)),
    history: (query: HistoryQuery) => gated(trouble() ?? historyTrouble(query.realm), () => model().history(query)),
    catalogs: () => gated(trouble(), () => model().catalogs()),
    realms: () => gated(trouble(), () => model().realms()),
  };
}
