import type { Clock } from "../../model/clock.ts";

type FairTurnsOptions = {
  /** Number of rounds of the event loop after which work is done again. */
  readonly rounds: number;
  /** Time after which no further piece of work is begun in the same round, ms. Default 0: one piece. */
  readonly sliceMs?: number;
  readonly clock: Pick<Clock, "monotonic">;
};

/**
 * [PT26] Turns in which peers do work that keeps the event loop busy. Little of it is done in a round of the event loop, so
 * that timers and other connections are served in between. Peers that wait get one turn each, in a circle, however many
 * pieces of work each of them has.
 */
export class FairTurns {
  readonly #options: FairTurnsOptions;
  /** Work that waits, by peer; the first peer is the next one. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #isResting = false;
  /** End of the slice of this round, monotonic ms; undefined before its first piece of work. */
  #sliceEndsAtMs: number | undefined;

  constructor(options: FairTurnsOptions) {
    this.#options = options;
  }

  /**
   * Calls `work` in the peer's turn: at once when none waits and the last turn is over.
   *
   * @returns a function that gives up a turn that has not come; it has no effect afterwards
   */
  take(peer: string, work: () => void): () => void {
    if (!this.#isResting) {
      this.#run(work);
      return () => {};
    }
    this.#waiting.getOrInsertComputed(peer, () => []).push(work);
    return () => this.#giveUp(peer, work);
  }

  /** Resolves in the peer's turn, which ends with the synchronous work that follows. */
  next(peer: string): Promise<void> {
    return new Promise((resolve) => void this.take(peer, resolve));
  }

  #giveUp(peer: string, work: () => void): void {
    const queue = this.#waiting.get(peer);
    const at = queue?.indexOf(work) ?? -1;
    if (at >= 0) queue?.splice(at, 1);
    if (queue?.length === 0) this.#waiting.delete(peer);
  }

  #run(work: () => void): void {
    const { rounds, sliceMs = 0, clock } = this.#options;
    if (this.#sliceEndsAtMs === undefined) {
      this.#sliceEndsAtMs = clock.monotonic() + sliceMs;
      this.#rest(rounds);
    }
    // Work that begins more of it while it runs has it wait.
    this.#isResting = true;
    work();
    this.#isResting = clock.monotonic() >= this.#sliceEndsAtMs;
  }

  #rest(rounds: number): void {
    setImmediate(() => (rounds > 1 ? this.#rest(rounds - 1) : this.#serve()));
  }

  #serve(): void {
    this.#isResting = false;
    this.#sliceEndsAtMs = undefined;
    for (const [peer, queue] of this.#waiting) {
      const work = queue.shift();
      this.#waiting.delete(peer);
      if (queue.length > 0) this.#waiting.set(peer, queue);
      if (work !== undefined) this.#run(work);
      if (this.#isResting) return;
    }
  }
}
