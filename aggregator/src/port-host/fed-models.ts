import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import type { HistoryRecord } from "@realmwatch/shared/model/history";
import type { ThreadClient } from "@realmwatch/shared/platform/process/thread-client";
import { RowFeed } from "@realmwatch/shared/port-host/row-feed";
import type { MemoryReadModel } from "@realmwatch/shared/read-model/memory-read-model";
import { encodeChanges } from "@realmwatch/shared/row/sent-change";
import type { CentrePortFunctions, CentreState, PortModelStart } from "../port/centre-contract.ts";

type CentrePortThread = Pick<ThreadClient<CentrePortFunctions>, "request" | "tell">;

/** Read model in a thread of the port, as this thread feeds it. It ends with that thread. */
export type FedModel = Pick<MemoryReadModel, "apply" | "dropRealmRowsBelow" | "setCatalog" | "forgetRealm"> & {
  readonly number: number;
  /** Resolves when the records can be read, so that no more of them wait than were read at once. */
  addHistory(records: readonly HistoryRecord[]): Promise<void>;
  close(): void;
};

/**
 * Shortest time between two states, ms, and how many times longer than making a state the time after it is: copying it to
 * the port takes as long again.
 */
const [leastPauseMs, pauseFactor] = [10, 20];

/** Feeds the read models in the port's thread, and tells it the state of the centre that belongs to its rows. */
export class FedModels {
  readonly #clock: Clock;
  readonly #feeds = new Map<number, RowFeed>();
  #port: CentrePortThread | undefined;
  #opened = 0;
  #nextStateMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Sets the thread in which models are opened from now on. */
  attach(port: CentrePortThread): void {
    this.#port = port;
  }

  /** Opens an empty read model in the present thread. */
  open(start: PortModelStart): FedModel {
    const port = this.#port;
    const number = ++this.#opened;
    port?.tell("openModel", number, start);
    const feed = new RowFeed({
      clock: this.#clock,
      send: (changes) => port?.request("applyRows", number, encodeChanges(changes)) ?? Promise.resolve(),
    });
    this.#feeds.set(number, feed);
    void feed.start([]);
    return {
      number,
      apply: (changes) => feed.changed(changes),
      dropRealmRowsBelow: (realm, epoch) => port?.tell("dropRealmRowsBelow", number, realm, epoch),
      setCatalog: (catalog) => port?.tell("setCatalog", number, catalog),
      forgetRealm(realm) {
        feed.forget(realm);
        port?.tell("forgetRealm", number, realm);
      },
      async addHistory(records) {
        // A thread that has ended is replaced by one that all is sent to again.
        if (records.length > 0) await port?.request("addHistory", number, records).catch(() => {});
      },
      close: () => {
        feed.end();
        this.#feeds.delete(number);
        port?.tell("closeModel", number);
      },
    };
  }

  /**
   * Sends the port the state that `read` returns, behind the rows that prove it. Requests can make this thread spend
   * about a tenth of its time on states.
   */
  async sendState(read: () => CentreState): Promise<void> {
    const port = this.#port;
    await sleep(this.#clock, Math.max(0, this.#nextStateMs - this.#clock.monotonic()));
    // Most rows are sent at the pace at which the port applies them.
    await Promise.all([...this.#feeds.values()].map((feed) => feed.flush()));
    const startedMs = this.#clock.monotonic();
    const state = read();
    this.#feeds.get(state.model)?.sendNow();
    port?.tell("setState", state);
    const tookMs = this.#clock.monotonic() - startedMs;
    this.#nextStateMs = startedMs + tookMs + Math.max(leastPauseMs, pauseFactor * tookMs);
  }
}
