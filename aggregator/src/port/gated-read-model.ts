import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, type Result } from "@realmwatch/shared/model/result";
import type { ReadModel } from "@realmwatch/shared/read-model/read-model";
import type { AwaitedState } from "./awaited-state.ts";
import type { CentreState } from "./centre-contract.ts";
import type { PortModel } from "./port-models.ts";

type Gate = (state: CentreState) => string | undefined;

/** Begins to answer a query; what it reads of the rows it reads at once. */
type Run<T> = (model: ReadModel) => Promise<Result<T, Refusal>>;

const anyQuery: Gate = ({ unavailableReason }) => unavailableReason;
const historyQuery: Gate = (state) => state.unavailableReason ?? state.historyUnavailableReason;

/**
 * Read model that answers with the rows and the state of the centre as of one moment. It refuses queries as
 * `unavailable`, with the reason, while its data may be incomplete: an answer without rows would look like an environment
 * without problems.
 *
 * @param models read models by number; a reload of the realms document opens another one
 */
export function gatedReadModel(present: AwaitedState, models: ReadonlyMap<number, PortModel>): ReadModel {
  function answerNow<T>(state: CentreState, gate: Gate, run: Run<T>): Promise<Result<T, Refusal>> {
    const model = models.get(state.model)?.rows;
    const reason = gate(state) ?? (model === undefined ? "the read model is being opened" : undefined);
    if (reason !== undefined || model === undefined)
      return Promise.resolve(fail({ kind: "unavailable", what: reason ?? "" }));
    model.setRealms(() => state.realms);
    return run(model);
  }
  const answer = <T>(gate: Gate, run: Run<T>): Promise<Result<T, Refusal>> =>
    new Promise((resolve) => present.onNext((state) => resolve(state.ok ? answerNow(state.value, gate, run) : state)));
  return {
    status: (query) => answer(query.atMs === undefined ? anyQuery : historyQuery, (model) => model.status(query)),
    objects: (query) => answer(anyQuery, (model) => model.objects(query)),
    history: (query) => answer(historyQuery, (model) => model.history(query)),
    catalogs: () => answer(anyQuery, (model) => model.catalogs()),
    realms: () => answer(anyQuery, (model) => model.realms()),
  };
}
