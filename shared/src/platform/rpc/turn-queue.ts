/** Number of rounds of the event loop between two turns: a new connection needs some of them until its request is answered. */
const roundsBetween = 5;

/**
 * [PT17] Queue of work that keeps the event loop busy, such as decoding large messages: each piece gets a turn of its own,
 * and other connections are served between two turns, also when many pieces become ready at the same time.
 */
export class TurnQueue {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when it is the caller's turn, which ends with the synchronous work that follows. */
  next(): Promise<void> {
    this.#last = this.#last.then(passRounds);
    return this.#last;
  }
}

async function passRounds(): Promise<void> {
  for (let round = 0; round < roundsBetween; round += 1) await new Promise<void>((done) => setImmediate(done));
}
