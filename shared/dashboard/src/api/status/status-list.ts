import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { Client } from "@connectrpc/connect";
import type { ListStatusResponse, QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { type ValueStore, valueStore } from "../context/value-store.ts";
import { firstPages, type ListPages, pageRows, withChanges, withoutPages, withPage } from "./list-pages.ts";
import { type ListRequest, listOrderOf } from "./list-request.ts";

/** State of a list: its loaded pages, undefined before the first response, and the failure of the last request. */
type ListState = { readonly list: ListPages | undefined; readonly error: Error | null };

/** A list that loads the pages that are displayed and follows their changes. */
export type StatusList = {
  readonly state: ValueStore<ListState>;
  /** Loads the pages of rows `from` to `to`, both inclusive. */
  show(from: number, to: number): void;
  /** Fetches the changes since the last response; the first call loads the first page. */
  poll(): Promise<void>;
  /** Loads the displayed pages anew, in the current order. */
  refresh(): Promise<void>;
  /** Fetches all rows that match, without keeping them. */
  fetchAll(): Promise<ListStatusResponse>;
  close(): void;
};

type StatusListOptions = {
  readonly query: Pick<Client<typeof QueryService>, "listStatus">;
  readonly request: ListRequest;
  /** Current time, Unix ms. */
  readonly now: () => number;
  /** Receives each response to a poll or to the request of the first page. Default: realms are not requested. */
  readonly onResponse?: ((response: ListStatusResponse, isFirst: boolean) => void) | undefined;
};

/** Maximum number of loaded pages: bounds the memory of a list that is scrolled through. */
const maxPages = 12;

/** Opens a list. Requests run one after the other, so that each response applies to the state that it was made for. */
export function openStatusList({ query, request, now, onResponse }: StatusListOptions): StatusList {
  const state = valueStore<ListState>({ list: undefined, error: null });
  let abort = new AbortController();
  const order = listOrderOf(request.sort);
  const { sort, atMs, ...filter } = request;
  const conditions = { ...filter, omitRealms: onResponse === undefined };
  const at = atMs === undefined ? {} : { at: timestampFromMs(atMs) };
  let shown = { from: 0, to: 0 };
  let queue: Promise<void> = Promise.resolve();

  const fetchPage = (number: number) =>
    query.listStatus(
      { ...conditions, ...at, sort, pageSize: pageRows, pageOffset: number * pageRows },
      { signal: abort.signal },
    );

  /** Runs `work` after all earlier work; a failure is kept in the state, beside the last good rows. */
  function enqueue(work: () => Promise<ListPages | undefined>): Promise<void> {
    queue = queue.then(async () => {
      if (abort.signal.aborted) return;
      try {
        const list = await work();
        state.set((before) => ({ list: list ?? before.list, error: null }));
      } catch (error) {
        if (!abort.signal.aborted) state.set((before) => ({ ...before, error: error as Error }));
      }
    });
    return queue;
  }

  const shownPages = (): readonly number[] => {
    const [first, last] = [Math.floor(shown.from / pageRows), Math.floor(shown.to / pageRows)];
    return Array.from({ length: last - first + 1 }, (_, at) => first + at);
  };

  /** Loads the displayed pages into an empty list. */
  async function loadShown(): Promise<ListPages> {
    const [first = 0, ...others] = shownPages();
    const response = await fetchPage(first);
    onResponse?.(response, true);
    let list = firstPages(first, response, now());
    for (const number of others)
      if (number * pageRows < list.length) list = withPage(list, number, await fetchPage(number));
    if (list.pages.get(first)?.length === 0 && list.length > 0) {
      // The list has become shorter than the displayed range.
      shown = { from: 0, to: 0 };
      return firstPages(0, await fetchPage(0), now());
    }
    return list;
  }

  async function loadMissing(): Promise<ListPages | undefined> {
    let list = state.get().list;
    if (list === undefined) return undefined;
    for (const number of shownPages())
      if (!list.pages.has(number) && number * pageRows < list.length)
        list = withPage(list, number, await fetchPage(number));
    if (list.pages.size <= maxPages) return list;
    const middle = (shown.from + shown.to) / 2 / pageRows;
    const kept = [...list.pages.keys()].sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle)).slice(0, maxPages);
    return withoutPages(list, (number) => kept.includes(number));
  }

  async function pollOnce(): Promise<ListPages> {
    const { list } = state.get();
    if (list === undefined) return loadShown();
    const response = await query.listStatus(
      { ...conditions, changedSince: list.revision, changesOnly: true },
      { signal: abort.signal },
    );
    onResponse?.(response, false);
    if (response.full === true) return loadShown();
    const changed = withChanges(list, response, { order, atMs: now() });
    return list.length === 0 && changed.total > 0 ? loadShown() : changed;
  }

  return {
    state,
    show(from, to) {
      shown = { from, to };
      const { list } = state.get();
      if (
        list !== undefined &&
        shownPages().some((number) => !list.pages.has(number) && number * pageRows < list.length)
      )
        void enqueue(loadMissing);
    },
    poll() {
      // React runs each effect twice during development: the list is closed and then polled again.
      if (abort.signal.aborted) abort = new AbortController();
      return enqueue(pollOnce);
    },
    refresh: () => enqueue(loadShown),
    fetchAll: () => query.listStatus({ ...conditions, ...at, sort, omitRealms: true }, { signal: abort.signal }),
    close: () => abort.abort(),
  };
}
