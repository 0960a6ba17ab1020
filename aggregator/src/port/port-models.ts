import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import type { HistoryRecord } from "@realmwatch/shared/model/history";
import type { FindSelectorSubject } from "@realmwatch/shared/read-model/history/history-filter";
import type { HistorySource } from "@realmwatch/shared/read-model/history/history-source";
import { type MemoryReadModel, memoryReadModel } from "@realmwatch/shared/read-model/memory-read-model";
import type { RowChange } from "@realmwatch/shared/row/row";
import { decodeChanges } from "@realmwatch/shared/row/sent-change";
import type { CentrePortFunctions, PortModelStart } from "./centre-contract.ts";

/** History of a read model. Without `add` and `forget` it is stored elsewhere. */
type PortHistory = HistorySource & {
  add?(records: readonly HistoryRecord[]): void;
  forget?(realm: string): void;
};

/** Read model of one realms document, with its history. */
export type PortModel = { readonly rows: MemoryReadModel; readonly history: PortHistory };

type PortModelOptions = {
  readonly clock: Clock;
  readonly openHistory: (start: PortModelStart, findSubject: FindSelectorSubject) => PortHistory;
};

/** Opens an empty read model; its realms are set before each query. */
export function openPortModel(start: PortModelStart, { clock, openHistory }: PortModelOptions): PortModel {
  const history = openHistory(start, (realm, key) => rows.selectorSubject(realm, key));
  const rows: MemoryReadModel = memoryReadModel({
    generation: start.generation,
    history,
    yieldToEventLoop: () => sleep(clock, 0),
    realmLabels: (realm) => start.labels.get(realm) ?? {},
  });
  return { rows, history };
}

type ModelFunctions = Pick<
  CentrePortFunctions,
  "openModel" | "closeModel" | "applyRows" | "dropRealmRowsBelow" | "setCatalog" | "forgetRealm" | "addHistory"
>;

/** Functions that change the read models, which `models` holds by number. */
export const modelFunctions = (
  models: Map<number, PortModel>,
  open: (start: PortModelStart) => PortModel,
): ModelFunctions => ({
  openModel: (model, start) => void models.set(model, open(start)),
  closeModel: (model) => void models.delete(model),
  applyRows: (model, changes) => models.get(model)?.rows.apply(decodeChanges(changes) as RowChange[]),
  dropRealmRowsBelow: (model, realm, epoch) => models.get(model)?.rows.dropRealmRowsBelow(realm, epoch),
  setCatalog: (model, catalog) => models.get(model)?.rows.setCatalog(catalog),
  forgetRealm(model, realm) {
    models.get(model)?.rows.forgetRealm(realm);
    models.get(model)?.history.forget?.(realm);
  },
  addHistory: (model, records) => models.get(model)?.history.add?.(records),
});
