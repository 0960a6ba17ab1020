import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { Client } from "@connectrpc/connect";
import type { ListStatusResponse, QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { valueStore } from "../context/value-store.ts";
import { firstPages, type ListPages, pageRows, withChanges, withoutPages, withPage } from "./list-pages.ts";
import { type ListRequest, listOrderOf } from "./list-request.ts";

/** State of a list: its loaded pages, undefined before the first response, and the failure of the last request. */
type ListState = { readonly list: ListPages | undefined; readonly error: Error | null };

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

type PageRange = { readonly from: number; readonly to: number };

const pagesOf = ({ from, to }: PageRange): readonly number[] => {
  const [first, last] = [Math.floor(from / pageRows), Math.floor(to / pageRows)];
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
};

const isMissing = ({ pages, length }: ListPages, number: number): boolean =>
  !pages.has(number) && number * pageRows < length;

/**
 * List that loads the pages that are displayed and follows their changes. Requests run one after the other, so that each
 * response applies to the state that it was made for.
 */
export class StatusList {
  readonly state = valueStore<ListState>({ list: undefined, error: null });
  readonly #options: StatusListOptions;
  /** Fields of each request, without those of the order. */
  readonly #conditions;
  /** Fields of a request of rows in order. */
  readonly #ordered;
  #abort = new AbortController();
  #shown: PageRange = { from: 0, to: 0 };
  #queue: Promise<void> = Promise.resolve();

  constructor(options: StatusListOptions) {
    const { sort, atMs, ...filter } = options.request;
    this.#options = options;
    this.#conditions = { ...filter, omitRealms: options.onResponse === undefined };
    this.#ordered = { ...this.#conditions, ...(atMs === undefined ? {} : { at: timestampFromMs(atMs) }), sort };
  }

  /** Loads the pages of rows `from` to `to`, both inclusive. */
  readonly show = (from: number, to: number): void => {
    this.#shown = { from, to };
    const { list } = this.state.get();
    if (list !== undefined && pagesOf(this.#shown).some((number) => isMissing(list, number)))
      void this.#enqueue(() => this.#loadMissing());
  };

  /** Loads the displayed pages anew, in the current order. */
  readonly refresh = (): Promise<void> => this.#enqueue(() => this.#loadShown());

  /** Fetches all rows that match, and match a selector unless it is empty, without keeping them. */
  readonly fetchAll = (narrowing = ""): Promise<ListStatusResponse> => {
    const selector = [this.#options.request.selector ?? "", narrowing].filter((part) => part !== "").join(",");
    return this.#request({ ...this.#ordered, selector, omitRealms: true });
  };

  /** Fetches the changes since the last response; the first call loads the first page. */
  poll(): Promise<void> {
    // React runs each effect twice during development: the list is closed and then polled again.
    if (this.#abort.signal.aborted) this.#abort = new AbortController();
    return this.#enqueue(() => this.#pollOnce());
  }

  close(): void {
    this.#abort.abort();
  }

  #request(request: Parameters<StatusListOptions["query"]["listStatus"]>[0]): Promise<ListStatusResponse> {
    return this.#options.query.listStatus(request, { signal: this.#abort.signal });
  }

  #fetchPage(number: number): Promise<ListStatusResponse> {
    return this.#request({ ...this.#ordered, pageSize: pageRows, pageOffset: number * pageRows });
  }

  /** Runs `work` after all earlier work; a failure is kept in the state, beside the last good rows. */
  #enqueue(work: () => Promise<ListPages | undefined>): Promise<void> {
    this.#queue = this.#queue.then(async () => {
      if (this.#abort.signal.aborted) return;
      try {
        const list = await work();
        this.state.set((before) => ({ list: list ?? before.list, error: null }));
      } catch (error) {
        if (!this.#abort.signal.aborted) this.state.set((before) => ({ ...before, error: error as Error }));
      }
    });
    return this.#queue;
  }

  /** Loads the displayed pages into an empty list. */
  async #loadShown(): Promise<ListPages> {
    const { now, onResponse } = this.#options;
    const [first = 0] = pagesOf(this.#shown);
    const response = await this.#fetchPage(first);
    onResponse?.(response, true);
    const list = await this.#withShown(firstPages(first, response, now()));
    if (list.pages.get(first)?.length !== 0 || list.length === 0) return list;
    // The list has become shorter than the displayed range.
    this.#shown = { from: 0, to: 0 };
    return firstPages(0, await this.#fetchPage(0), now());
  }

  /** Adds the displayed pages that are missing. */
  async #withShown(list: ListPages): Promise<ListPages> {
    let loaded = list;
    for (const number of pagesOf(this.#shown))
      if (isMissing(loaded, number)) loaded = withPage(loaded, number, await this.#fetchPage(number));
    return loaded;
  }

  async #loadMissing(): Promise<ListPages | undefined> {
    const before = this.state.get().list;
    if (before === undefined) return undefined;
    const list = await this.#withShown(before);
    if (list.pages.size <= maxPages) return list;
    const middle = (this.#shown.from + this.#shown.to) / 2 / pageRows;
    const kept = [...list.pages.keys()].sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle)).slice(0, maxPages);
    return withoutPages(list, (number) => kept.includes(number));
  }

  async #pollOnce(): Promise<ListPages> {
    const { request, now, onResponse } = this.#options;
    const { list } = this.state.get();
    if (list === undefined) return this.#loadShown();
    const response = await this.#request({ ...this.#conditions, changedSince: list.revision, changesOnly: true });
    onResponse?.(response, false);
    if (response.full === true) return this.#loadShown();
    const changed = withChanges(list, response, { order: listOrderOf(request.sort), atMs: now() });
    return list.length === 0 && changed.total > 0 ? this.#loadShown() : changed;
  }
}
