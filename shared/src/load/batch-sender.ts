import type { SentObject } from "./object-ranges.ts";

/** Number of objects in a message: the receiver deserializes one in about 1 ms. */
const batchLength = 250;

export function* batchesOf(objects: Iterable<SentObject>): Generator<readonly SentObject[]> {
  let batch: SentObject[] = [];
  for (const object of objects) {
    batch.push(object);
    if (batch.length < batchLength) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/**
 * Maximum number of sent batches that the receiver has not taken over. Eager sending allows many, so that neither thread
 * waits. Deferred sending allows few, because the receiver deserializes all arrived messages without yielding.
 */
const maxBatchesInFlight = { eager: 64, deferred: 2 } as const;

/** Sends batches of objects, and blocks while too many of them are in flight. */
export class BatchSender {
  readonly #received: Int32Array;
  readonly #post: (objects: readonly SentObject[]) => void;
  #sent = 0;

  /** @param received shared counter of the batches that the receiver has taken over */
  constructor(received: Int32Array, post: (objects: readonly SentObject[]) => void) {
    this.#received = received;
    this.#post = post;
  }

  send(objects: readonly SentObject[], way: keyof typeof maxBatchesInFlight): void {
    for (
      let received = Atomics.load(this.#received, 0);
      this.#sent - received >= maxBatchesInFlight[way];
      received = Atomics.load(this.#received, 0)
    )
      Atomics.wait(this.#received, 0, received);
    this.#sent += 1;
    this.#post(objects);
  }
}
