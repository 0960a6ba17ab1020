/** The commands of one round that have effects which are held, from the first to the last, and how many effects. */
export type HeldRound = { readonly firstSeq: number; readonly lastSeq: number; readonly effects: number };

/**
 * Objects whose states have effects of commands that their states on the disk have not. Nothing is lost by that: the
 * commands are on the disk, and a crash has them applied again.
 */
export class HeldStates {
  /** By object, a command before which all effects on it are on the disk or on their way. Oldest first. */
  readonly #since = new Map<string, number>();
  readonly #rounds: HeldRound[] = [];
  #effects = 0;

  /** The first command of all that have effects here; Infinity where nothing is held. */
  get firstSeq(): number {
    return this.#since.values().next().value ?? Number.POSITIVE_INFINITY;
  }

  has(ref: string): boolean {
    return this.#since.has(ref);
  }

  /** Rounds come in the order of their commands. */
  hold(refs: readonly string[], round: HeldRound): void {
    for (const ref of refs) if (!this.#since.has(ref)) this.#since.set(ref, round.firstSeq);
    this.#rounds.push(round);
    this.#effects += round.effects;
  }

  /** The objects' states go to the disk as they are now. Answers the first command with an effect on one of them. */
  release(refs: readonly string[]): number {
    let firstSeq = Number.POSITIVE_INFINITY;
    for (const ref of refs) {
      firstSeq = Math.min(firstSeq, this.#since.get(ref) ?? firstSeq);
      this.#since.delete(ref);
    }
    return firstSeq;
  }

  /** No crash has commands up to `seq` applied again. */
  forget(seq: number): void {
    let passed = 0;
    for (const { lastSeq, effects } of this.#rounds) {
      if (lastSeq > seq) break;
      this.#effects -= effects;
      passed += 1;
    }
    this.#rounds.splice(0, passed);
  }

  /** Objects that are held since `seq` or before, from the oldest on. */
  heldSince(seq: number): string[] {
    const refs: string[] = [];
    for (const [ref, since] of this.#since) {
      if (since > seq) break;
      refs.push(ref);
    }
    return refs;
  }

  /** Objects that have to go to the disk, from the oldest on, for a crash to repeat no more than `most` effects. */
  beyond(most: number): string[] {
    let left = this.#effects;
    let seq = 0;
    for (const { lastSeq, effects } of this.#rounds) {
      if (left <= most) break;
      left -= effects;
      seq = lastSeq;
    }
    return this.heldSince(seq);
  }
}
