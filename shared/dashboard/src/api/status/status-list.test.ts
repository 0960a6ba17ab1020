import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { ObjectKind, Status } from "@realmwatch/proto/svc/v1/common_pb";
import { type ListStatusResponse, ListStatusResponseSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { objectKeyToProto } from "@realmwatch/shared/wire/fields/object-ref";
import fc from "fast-check";
import { loadedItems, pageRows } from "./list-pages.ts";
import { isEveryUnhandled, type ListRequest } from "./list-request.ts";
import { StatusList } from "./status-list.ts";

type Row = { readonly name: string; readonly status: Status };
type Request = { pageSize?: number; pageOffset?: number; changedSince?: string; changesOnly?: boolean };

/** Server with rows in memory: lists problems, worst first and then by name. */
class FakeServer {
  rows = new Map<string, Row>();
  readonly requests: Request[] = [];
  /** Error that the next requests fail with. */
  failure: Error | undefined;
  #log: string[] = [];
  #forgotten = 0;

  set(name: string, status: Status | undefined): void {
    if (status === undefined) this.rows.delete(name);
    else this.rows.set(name, { name, status });
    this.#log.push(name);
  }

  /** Forgets all changes, as after a restart. */
  forget(): void {
    this.#forgotten = this.#log.length + 1;
    this.#log.push("");
  }

  listed(): readonly Row[] {
    const problems = [...this.rows.values()].filter(({ status }) => status !== Status.OK);
    return problems.sort((a, b) => b.status - a.status || (a.name < b.name ? -1 : 1));
  }

  listStatus = async ({ pageSize = 0, pageOffset = 0, changedSince = "", changesOnly = false }: Request) => {
    this.requests.push({ pageSize, pageOffset, changedSince, changesOnly });
    if (this.failure !== undefined) throw this.failure;
    const listed = this.listed();
    if (changedSince === "")
      return this.#answer(listed.slice(pageOffset, pageSize === 0 ? undefined : pageOffset + pageSize));
    const since = Number(changedSince);
    if (since < this.#forgotten) return this.#answer([], [], true);
    const changed = new Set(this.#log.slice(since));
    const names = new Set(listed.map(({ name }) => name));
    return this.#answer(
      listed.filter(({ name }) => changed.has(name)),
      [...changed].filter((name) => name !== "" && !names.has(name)),
    );
  };

  #answer(rows: readonly Row[], removed: readonly string[] = [], full = false): ListStatusResponse {
    return create(ListStatusResponseSchema, {
      rows: rows.map(({ name, status }) => ({
        kind: ObjectKind.HOST,
        object: objectKeyToProto({ kind: "host", name }),
        status,
      })),
      removed: removed.map((name) => ({ realm: "", object: objectKeyToProto({ kind: "host", name }) })),
      summary: { counts: [{ kind: ObjectKind.HOST, status: Status.CRITICAL, count: this.listed().length }] },
      revision: String(this.#log.length),
      full,
    });
  }
}

const openList = (server: FakeServer): StatusList =>
  new StatusList({ query: server as never, request: { sort: "severity", problemsOnly: true }, now: () => 1 });

const padded = (number: number): string => `web${String(number).padStart(5, "0")}`;
function filled(count: number): FakeServer {
  const server = new FakeServer();
  for (let at = 0; at < count; at++) server.set(padded(at), Status.CRITICAL);
  return server;
}

/** Names of the loaded rows. */
const namesOf = ({ state }: StatusList): string[] =>
  state.get().list === undefined ? [] : loadedItems(state.get().list as never).map(({ key }) => key.name);

test("[LP5] the first poll loads the first page, and later ones ask for changes only", async () => {
  const server = filled(500);
  const list = openList(server);
  await list.poll();
  await list.poll();
  assert.equal(namesOf(list).length, pageRows);
  assert.deepEqual(server.requests, [
    { pageSize: pageRows, pageOffset: 0, changedSince: "", changesOnly: false },
    { pageSize: 0, pageOffset: 0, changedSince: "500", changesOnly: true },
  ]);
});

test("[LP5] a list that is scrolled from end to end keeps at most twelve pages, those around what is displayed", async () => {
  const server = filled(pageRows * 40);
  const list = openList(server);
  await list.poll();
  for (let from = 0; from < pageRows * 40; from += 120) {
    list.show(from, from + 40);
    await list.poll();
    assert.ok((list.state.get().list?.pages.size ?? 0) <= 12);
    assert.equal(list.state.get().list?.pages.has(Math.floor(from / pageRows)), true);
  }
});

test("[LP6] a failed request keeps the rows beside its error, which the next success clears", async () => {
  const server = filled(3);
  const list = openList(server);
  await list.poll();
  server.failure = new Error("away");
  await list.poll();
  assert.deepEqual([list.state.get().error?.message, namesOf(list).length], ["away", 3]);
  server.failure = undefined;
  await list.poll();
  assert.equal(list.state.get().error, null);
});

test("[LP7] a list that became shorter than the displayed range begins at its start again", async () => {
  const server = filled(1_000);
  const list = openList(server);
  await list.poll();
  list.show(900, 950);
  await list.poll();
  for (let at = 10; at < 1_000; at++) server.set(padded(at), undefined);
  await list.refresh();
  assert.deepEqual(
    namesOf(list),
    Array.from({ length: 10 }, (_, at) => padded(at)),
  );
});

test("[LP6] a closed list sends no request, and can be polled again", async () => {
  const server = filled(3);
  const list = openList(server);
  list.close();
  await list.refresh();
  assert.equal(server.requests.length, 0);
  await list.poll();
  assert.equal(namesOf(list).length, 3);
});

test("[LP8] the first page and each poll feed the overview, further pages do not", async () => {
  const server = filled(500);
  const fed: boolean[] = [];
  const request = { sort: "severity", problemsOnly: true, unhandledOnly: true };
  const onResponse = (_: ListStatusResponse, isFirst: boolean): void => void fed.push(isFirst);
  const list = new StatusList({ query: server as never, request, now: () => 1, onResponse });
  await list.poll();
  await list.poll();
  list.show(200, 420);
  await list.poll();
  await list.refresh();
  assert.deepEqual(fed, [true, false, false, true]);
  assert.equal(isEveryUnhandled({ ...request, selector: "", kinds: [], search: "", searchOutput: true }), true);
  const narrower: readonly Partial<ListRequest>[] = [
    { realm: "fra" },
    { kinds: [1] },
    { search: "x" },
    { atMs: 5 },
    { unhandledOnly: false },
  ];
  for (const part of narrower) assert.equal(isEveryUnhandled({ ...request, ...part }), false);
});

type Step =
  | { readonly kind: "change"; readonly at: number; readonly status: Status | undefined }
  | { readonly kind: "show"; readonly from: number }
  | { readonly kind: "poll" | "refresh" | "forget" };

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("change" as const),
      at: fc.integer({ min: 0, max: 700 }),
      status: fc.constantFrom(Status.CRITICAL, Status.WARNING, Status.OK, undefined),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("show" as const), from: fc.integer({ min: 0, max: 650 }) }),
  },
  { weight: 3, arbitrary: fc.constantFrom({ kind: "poll" as const }, { kind: "refresh" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "forget" as const }) },
);

/**
 * Asserts that loaded rows are the server's in content, and unless the list is marked as outdated in order: the rows of
 * each page follow each other, and the first page begins the list.
 */
function assertFaithful(list: StatusList, server: FakeServer): void {
  const { list: pages } = list.state.get();
  assert.ok(pages !== undefined);
  const listed = server.listed();
  assert.equal(pages.total, listed.length);
  const statuses = new Map(listed.map(({ name, status }) => [name, status]));
  for (const item of loadedItems(pages)) {
    const status = statuses.get(item.key.name);
    assert.equal(status === undefined, pages.removed.has(item.id), `${item.key.name} is removed`);
    if (status !== undefined) assert.equal(item.row.status, status, item.key.name);
  }
  if (pages.outdated) return;
  const order = listed.map(({ name }) => name);
  for (const [number, items] of pages.pages) {
    const loaded = items.map(({ key }) => key.name);
    const from = number === 0 ? 0 : order.indexOf(loaded[0] ?? "");
    assert.deepEqual(loaded, order.slice(from, from + loaded.length), `page ${number}`);
  }
}

test("[LP2] after any interleaving of changes, polls and scrolling the rows are the server's, or marked as not", async () => {
  const property = fc.asyncProperty(fc.array(anyStep, { maxLength: 25 }), async (steps) => {
    const server = filled(600);
    const list = openList(server);
    await list.poll();
    for (const step of steps) {
      if (step.kind === "change") server.set(padded(step.at), step.status);
      else if (step.kind === "show") list.show(step.from, step.from + 50);
      else if (step.kind === "forget") server.forget();
      else await list[step.kind]();
    }
    await list.poll();
    assertFaithful(list, server);
    await list.refresh();
    assertFaithful(list, server);
    assert.equal(list.state.get().list?.outdated, false);
  });
  await fc.assert(property, { numRuns: 60 });
});
