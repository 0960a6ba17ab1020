import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type ObjectKey, refOf } from "../model/object-key.ts";
import type { RealmView } from "../model/realm.ts";
import { ok } from "../model/result.ts";
import type { Labels } from "../model/row.ts";
import { statuses } from "../model/status.ts";
import type { Row, RowChange } from "../row/row.ts";
import type { SelectorSubject } from "../text/selector/selector.ts";
import { parseSelector } from "../text/selector/selector.ts";
import { readModelContract } from "./contract/read-model.contract.ts";
import { memoryHistory } from "./history/memory-history.ts";
import { type MemoryReadModel, memoryReadModel } from "./memory-read-model.ts";
import type { PastSource } from "./past/past-records.ts";
import { contractRealmLabels, everyRow, rowFor } from "./read-model.fixture.ts";
import type { StatusQuery } from "./read-model.ts";
import { summaryOfRows } from "./rows/row-counts.ts";
import { matchesFilter } from "./rows/row-filter.ts";

readModelContract("memory", async () => {
  const find = (realm: string, key: ObjectKey): SelectorSubject | undefined => model.selectorSubject(realm, key);
  const history = memoryHistory({ maxRecords: 1000, findSubject: find });
  const realmLabels = (realm: string) => contractRealmLabels[realm] ?? {};
  const model: MemoryReadModel = memoryReadModel({ generation: "g1", history, realmLabels });
  return {
    model,
    apply: async (changes) => model.apply(changes),
    dropRealmRowsBelow: async (realm, epoch) => model.dropRealmRowsBelow(realm, epoch),
    setCatalog: async (catalog) => model.setCatalog(catalog),
    setRealms: async (realms: readonly RealmView[]) => model.setRealms(() => realms),
    record: async (records) => history.add(records),
    close: async () => undefined,
  };
});

const history = memoryHistory({ maxRecords: 1, findSubject: () => undefined });

async function answerOf(model: MemoryReadModel, query: Partial<StatusQuery> = {}) {
  const answer = await model.status({ ...everyRow, ...query });
  assert.ok(answer.ok);
  return answer.value;
}

test("[RM5] an agent's rows have an empty realm and match the agent's own realm", async () => {
  const model = memoryReadModel({ generation: "g1", history, ownRealm: "eu" });
  model.apply([{ kind: "put", row: rowFor("", "web1") }]);
  const realm = parseSelector("@realm=eu");
  assert.ok(realm.ok);
  for (const query of [{}, { realm: "eu" }, { selector: realm.value }])
    assert.deepEqual(
      (await answerOf(model, query)).rows.map((row) => row.realm),
      [""],
    );
  const elsewhere = await answerOf(model, { realm: "us" });
  assert.deepEqual([elsewhere.rows, elsewhere.summary.counts], [[], []]);
});

test("[FD92] a realm that is forgotten has no rows, is reported to polls, and may begin again with any epoch", async () => {
  const model = memoryReadModel({
    generation: "1",
    history: memoryHistory({ maxRecords: 9, findSubject: () => undefined }),
  });
  const put = (realm: string, name: string, epoch: number): RowChange => ({
    kind: "put",
    row: rowFor(realm, name, { epoch, revision: 5 }),
  });
  model.apply([put("eu", "a", 9), put("eu", "b", 9), put("us", "a", 9)]);
  model.dropRealmRowsBelow("eu", 9);
  model.apply([{ kind: "drop", realm: "eu", key: { kind: "host", name: "b" }, epoch: 9, revision: 6 }]);
  const before = await model.status(everyRow);
  assert.ok(before.ok);
  model.forgetRealm("eu");
  const rowsOf = async () => {
    const answer = await model.status(everyRow);
    return answer.ok
      ? answer.value.rows.map(({ realm, about, epoch }) => `${realm} ${refOf(about.key)} ${epoch}`).sort()
      : [];
  };
  assert.deepEqual(await rowsOf(), ["us a 9"]);
  const polled = await model.status({ ...everyRow, changedSince: before.value.revision });
  assert.deepEqual(polled.ok && [polled.value.full, polled.value.removed.length], [false, 1]);
  model.apply([put("eu", "a", 1), put("eu", "b", 1)]);
  assert.deepEqual(await rowsOf(), ["eu a 1", "eu b 1", "us a 9"]);
});

test("[RM14] a poll with a revision older than the discarded tombstones is answered in full", async () => {
  const model = memoryReadModel({ generation: "g1", history, maxTombstones: 2 });
  const drop = (name: string): RowChange => ({
    kind: "drop",
    realm: "",
    key: { kind: "host", name },
    epoch: 1,
    revision: 2,
  });
  model.apply(["a", "b", "c", "d"].map((ref) => ({ kind: "put", row: rowFor("", ref) })));
  const start = (await answerOf(model)).revision;
  model.apply([drop("a")]);
  const later = (await answerOf(model)).revision;
  model.apply([drop("b"), drop("c")]);
  assert.equal((await answerOf(model, { changedSince: start })).full, true);
  const news = await answerOf(model, { changedSince: later });
  assert.deepEqual([news.full, news.removed.length, model.size], [false, 2, 1]);
});

const refs = ["a", "b", "a!x", "a!y", "b!x", "process:p"];
const rowsOf = fc
  .record({
    realm: fc.constantFrom("eu", "us"),
    ref: fc.constantFrom(...refs),
    epoch: fc.integer({ min: 1, max: 2 }),
    revision: fc.integer({ min: 1, max: 6 }),
    status: fc.constantFrom(...statuses),
    handled: fc.boolean(),
    inDowntime: fc.boolean(),
    flapping: fc.boolean(),
    output: fc.constantFrom("1", "2", "3"),
  })
  .map(({ realm, ref, ...change }) => rowFor(realm, ref, change));
const stepOf = fc.oneof(
  { weight: 5, arbitrary: rowsOf.map((row) => ({ kind: "put" as const, row })) },
  {
    weight: 2,
    arbitrary: rowsOf.map(({ about, realm, epoch, revision }) => ({
      kind: "drop" as const,
      realm,
      key: about.key,
      epoch,
      revision,
    })),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "poll" as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("floor" as const), realm: fc.constantFrom("eu", "us") }) },
);
const parsedHost = parseSelector("@host=a");
assert.ok(parsedHost.ok);
const filters: Partial<StatusQuery>[] = [
  {},
  { problemsOnly: true },
  { realm: "eu", kinds: ["service"] },
  { unhandledOnly: true, statuses: ["critical", "unknown"] },
  { selector: parsedHost.value },
  { search: "a" },
];

/** Client that polls with `changedSince` and applies each answer to its rows. */
function follower(filter: Partial<StatusQuery>) {
  const held = new Map<string, Row>();
  let revision = "";
  const idOf = (realm: string, key: ObjectKey) => `${realm} ${refOf(key)}`;
  return {
    held,
    async poll(model: MemoryReadModel) {
      const answer = await answerOf(model, { ...filter, changedSince: revision });
      if (answer.full) held.clear();
      for (const { realm, key } of answer.removed) held.delete(idOf(realm, key));
      for (const row of answer.rows) held.set(idOf(row.realm, row.about.key), row);
      revision = answer.revision;
      return answer;
    },
  };
}

test("[RM11] a client that applies each polled change has the same rows as a full query", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(stepOf, { maxLength: 40 }), fc.constantFrom(...filters), async (steps, filter) => {
      const model = memoryReadModel({ generation: "g1", history, maxTombstones: 3 });
      const client = follower(filter);
      for (const step of [...steps, { kind: "poll" as const }]) {
        if (step.kind === "floor") model.dropRealmRowsBelow(step.realm, 2);
        else if (step.kind !== "poll") model.apply([step]);
        else {
          const { summary } = await client.poll(model);
          const { rows } = await answerOf(model, filter);
          assert.deepEqual(new Set(client.held.values()), new Set(rows));
          assert.deepEqual(summary, { ...summaryOfRows(rows), overdue: 0 });
          const everything = (await answerOf(model)).rows;
          const matching = everything.filter((row) => matchesFilter(row, { ...everyRow, ...filter }, { ownRealm: "" }));
          assert.deepEqual(new Set(rows), new Set(matching));
          const { kinds = [], selector, realm = "" } = filter;
          const listed = await model.objects({ kinds, selector, realm, pageSize: 0, pageToken: "" });
          const named = everything.filter((row) =>
            matchesFilter(row, { ...everyRow, kinds, selector, realm }, { ownRealm: "" }),
          );
          assert.deepEqual(listed.ok && new Set(listed.value.rows), new Set(named));
        }
      }
    }),
  );
});

test("[RM31] a selector that is asked for again is evaluated for changed rows only", async () => {
  const model = memoryReadModel({ generation: "g1", history });
  let evaluated = 0;
  const countReads: ProxyHandler<Labels> = {
    getOwnPropertyDescriptor(labels, name) {
      evaluated += 1;
      return Reflect.getOwnPropertyDescriptor(labels, name);
    },
  };
  const rowOf = (ref: string, team: string, revision: number): RowChange => ({
    kind: "put",
    row: rowFor("", ref, { labels: new Proxy({ team }, countReads), revision }),
  });
  model.apply(Array.from({ length: 10 }, (_, at) => rowOf(`web${at}`, at < 7 ? "web" : "db", 1)));
  const selector = parseSelector("team=web");
  assert.ok(selector.ok);
  const page = { selector: selector.value, pageSize: 2 };
  const ask = async (): Promise<number> => {
    evaluated = 0;
    for (const by of ["severity", "name"] as const)
      assert.equal((await answerOf(model, { ...page, sort: { by, reverse: false } })).rows.length, 2);
    const objects = await model.objects({ ...page, kinds: [], realm: "", pageToken: "" });
    assert.equal(objects.ok && objects.value.rows.length, 2);
    return evaluated;
  };
  await ask();
  assert.equal(await ask(), 0);
  model.apply([rowOf("web0", "db", 2), rowOf("web9", "web", 2)]);
  assert.equal(await ask(), 2);
  assert.equal((await answerOf(model, { selector: selector.value })).summary.counts[0]?.count, 7);
});

test("[TM6] past queries over all objects run one at a time, and at most 8 are queued", async () => {
  const history = memoryHistory({ maxRecords: 10, findSubject: () => undefined });
  let [running, most] = [0, 0];
  const past: PastSource = {
    async pastRecords() {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return ok({ reachesBack: () => true, of: () => undefined });
    },
  };
  const model = memoryReadModel({ generation: "g1", history, past });
  model.apply([{ kind: "put", row: rowFor("", "web1") }]);
  const ask = (key?: ObjectKey) => model.status({ ...everyRow, key, atMs: 5 });
  const answers = await Promise.all([...Array.from({ length: 10 }, () => ask()), ask({ kind: "host", name: "web1" })]);
  const refused = answers.flatMap((answer) => (answer.ok ? [] : [answer.error.kind]));
  assert.deepEqual([refused, most], [["exhausted", "exhausted"], 2]);
  assert.equal((await ask()).ok, true);
});
