import assert from "node:assert/strict";
import type { Catalog } from "../../model/catalog.ts";
import type { HistoryRecord } from "../../model/history.ts";
import { keyOf, refOf } from "../../model/object-key.ts";
import type { RealmView } from "../../model/realm.ts";
import type { Row, RowChange } from "../../row/row.ts";
import { parseSelector, type Selector } from "../../text/selector/selector.ts";
import { allHistory, everyRow, rowFor } from "../read-model.fixture.ts";
import type { HistoryQuery, ReadModel, StatusAnswer, StatusQuery } from "../read-model.ts";

/** A read model under test with its write operations. Each opened model has separate state. */
export type ReadModelUnderTest = {
  readonly model: ReadModel;
  apply(changes: readonly RowChange[]): Promise<void>;
  dropRealmRowsBelow(realm: string, epoch: number): Promise<void>;
  setCatalog(catalog: Catalog): Promise<void>;
  setRealms(realms: readonly RealmView[]): Promise<void>;
  record(records: readonly HistoryRecord[]): Promise<void>;
  close(): Promise<void>;
};

type ContractContext = ReturnType<typeof contractContext>;
/** Declares a test of one rule of the contract. */
export type ContractRule = (rule: string, check: (on: ContractContext) => Promise<void>) => void;

export const sortedByName = { sort: { by: "name", reverse: false } } as const;

/** Helpers shared by the rules of the contract. */
export function contractContext(under: ReadModelUnderTest) {
  const put = (...rows: Row[]) => under.apply(rows.map((row) => ({ kind: "put", row })));
  const status = async (query: Partial<StatusQuery> = {}) => {
    const answer = await under.model.status({ ...everyRow, ...query });
    assert.ok(answer.ok, JSON.stringify(answer));
    return answer.value;
  };
  const history = async (query: Partial<HistoryQuery> = {}) => {
    const answer = await under.model.history({ ...allHistory, ...query });
    assert.ok(answer.ok, JSON.stringify(answer));
    return answer.value;
  };
  return {
    under,
    put,
    status,
    history,
    drop: (realm: string, ref: string, revision: number) =>
      under.apply([{ kind: "drop", realm, key: keyOf(ref), epoch: 1, revision }]),
    refs: async (query: Partial<StatusQuery> = sortedByName) => refsOf(await status(query)),
    events: async (query: Partial<HistoryQuery> = {}) => eventsOf(await history(query)),
    async pages(query: Partial<StatusQuery>) {
      const refs: string[] = [];
      let pageToken = "";
      do {
        const answer = await status({ ...query, pageToken });
        refs.push(...refsOf(answer));
        pageToken = answer.nextPageToken;
      } while (pageToken !== "");
      return refs;
    },
    async putThree() {
      await put(rowFor("eu", "a"), rowFor("eu", "b"), rowFor("eu", "c"));
      return status({ pageSize: 1 });
    },
  };
}

export const refsOf = ({ rows }: Pick<StatusAnswer, "rows">) =>
  rows.map((row) => `${row.realm} ${refOf(row.about.key)}`);
export const removedOf = ({ removed }: StatusAnswer) =>
  removed.map(({ realm, key }) => `${realm} ${refOf(key)}`).sort();
export const eventsOf = ({ records }: { records: readonly HistoryRecord[] }) =>
  records.map(({ realm, seq }) => `${realm} ${seq}`);
export const configRecord = (realm: string, seq: number, atMs: number): HistoryRecord => ({
  realm,
  seq,
  atMs,
  type: "config",
});

export function selectorOf(text: string): Selector {
  const parsed = parseSelector(text);
  assert.ok(parsed.ok, text);
  return parsed.value;
}
