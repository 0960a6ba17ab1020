import type { Clock } from "../model/clock.ts";
import { refOf } from "../model/object-key.ts";
import { keyOfChange, type RowChange } from "../row/row.ts";

/** Time for which changes of one object are merged, ms. */
const mergeMs = 20;
/** Maximum number of rows of a batch, and of batches that wait for their receiver. */
const [rowsPerBatch, maxBatches] = [125, 4];

type RowFeedOptions = {
  readonly clock: Clock;
  /** Sends a batch of at most one change an object; resolves when it is applied. Rejects when the receiver has ended. */
  readonly send: (changes: readonly RowChange[]) => Promise<unknown>;
};

/**
 * Sends the rows of realms to a receiver in another thread: first all of them, then the latest change of each object.
 * A slow receiver gets fewer of the changes in between; at most one change an object waits.
 */
export class RowFeed {
  readonly #options: RowFeedOptions;
  /** Latest changes by realm and object, in the order in which the objects began to wait. */
  readonly #waiting = new Map<string, { readonly change: RowChange; readonly number: number }>();
  readonly #flushes: { readonly endsAt: number; resolve(): void }[] = [];
  /** Number of the last entry that began to wait. */
  #added = 0;
  #batches = 0;
  #isReady = false;
  #isEnded = false;
  #cancelTimer: (() => void) | undefined;

  constructor(options: RowFeedOptions) {
    this.#options = options;
  }

  /** Sends all rows until the feed ends; changes wait meanwhile. Rejects when the receiver has ended. */
  async start(rows: Iterable<RowChange>): Promise<void> {
    let batch: RowChange[] = [];
    for (const row of rows) {
      if (this.#isEnded) return;
      batch.push(row);
      if (batch.length < rowsPerBatch) continue;
      await this.#options.send(batch);
      batch = [];
    }
    if (batch.length > 0) await this.#options.send(batch);
    this.#isReady = !this.#isEnded;
    this.#sendWaiting();
  }

  /** Takes changes, which are sent within 20 ms. */
  changed(changes: readonly RowChange[]): void {
    if (this.#isEnded) return;
    for (const change of changes) {
      const name = nameOf(change);
      this.#waiting.set(name, { change, number: this.#waiting.get(name)?.number ?? ++this.#added });
    }
    if (this.#waiting.size > 0) this.#cancelTimer ??= this.#options.clock.after(mergeMs, () => this.#sendWaiting());
  }

  /** Sends the changes that wait. Resolves once all changes before the call are sent. */
  flush(): Promise<void> {
    if (this.#waiting.size === 0) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#flushes.push({ endsAt: this.#added, resolve });
    this.#sendWaiting();
    return promise;
  }

  /** Sends all changes that wait, whether or not the receiver has applied earlier batches. */
  sendNow(): void {
    while (this.#isReady && this.#waiting.size > 0) this.#sendBatch();
  }

  /** Drops the changes of a realm that wait. */
  forget(realm: string): void {
    for (const [name, { change }] of this.#waiting) if (realmOf(change) === realm) this.#waiting.delete(name);
    this.#resolveFlushes();
  }

  /** Ends the feed: nothing more is sent. */
  end(): void {
    [this.#isReady, this.#isEnded] = [false, true];
    this.#cancelTimer?.();
    this.#waiting.clear();
    for (const { resolve } of this.#flushes.splice(0)) resolve();
  }

  #sendWaiting(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    while (this.#isReady && this.#batches < maxBatches && this.#waiting.size > 0) this.#sendBatch();
  }

  #sendBatch(): void {
    const batch: RowChange[] = [];
    for (const [name, { change }] of this.#waiting) {
      batch.push(change);
      this.#waiting.delete(name);
      if (batch.length === rowsPerBatch) break;
    }
    this.#batches += 1;
    this.#options
      .send(batch)
      .then(() => {
        this.#batches -= 1;
        this.#sendWaiting();
      })
      .catch(() => this.end());
    this.#resolveFlushes();
  }

  /** Ends the flushes of which no change waits. */
  #resolveFlushes(): void {
    const [oldest] = this.#waiting.values();
    const left = oldest === undefined ? -1 : this.#flushes.findIndex(({ endsAt }) => endsAt >= oldest.number);
    for (const { resolve } of this.#flushes.splice(0, left < 0 ? this.#flushes.length : left)) resolve();
  }
}

const realmOf = (change: RowChange): string => (change.kind === "put" ? change.row.realm : change.realm);
function nameOf(change: RowChange): string {
  const [realm, ref] = [realmOf(change), refOf(keyOfChange(change))];
  return realm === "" ? ref : `${realm} ${ref}`;
}
