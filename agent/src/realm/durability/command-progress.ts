import { HeldStates } from "./deferred-states.ts";

/** An append that is under way. */
export type PendingAppend = {
  /** The states in it have what commands up to this one did. */
  readonly commandSeq: number;
  /** Commands up to this one need not be applied again once it has landed. */
  readonly appliedSeq: number;
  /** First command with an effect on its objects that was held; Infinity for none. */
  readonly firstHeldSeq: number;
};

/**
 * How far commands have come: applied in memory, on their way to the disk, on it. An append may fail where one that
 * was begun later does not: none of them says of a command that it is done while another one has something of it.
 */
export class CommandProgress {
  readonly #held = new HeldStates();
  #flights: readonly PendingAppend[] = [];
  #commandSeq: number;
  #landedSeq: number;

  /** @param appliedSeq the last command that is in all states on the disk; 0 for none */
  constructor(appliedSeq: number) {
    this.#commandSeq = appliedSeq;
    this.#landedSeq = appliedSeq;
  }

  /** The last command that was applied. */
  get commandSeq(): number {
    return this.#commandSeq;
  }

  /** Whether a crash would have nothing applied again. */
  get isDone(): boolean {
    return this.#landedSeq === this.#commandSeq;
  }

  isHeld(ref: string): boolean {
    return this.#held.has(ref);
  }

  /** A round has applied commands; what they did to the objects `held` need not be written yet. */
  applied({ firstSeq, lastSeq, held }: { firstSeq: number; lastSeq: number; held: readonly string[] }): void {
    if (lastSeq === 0) return;
    this.#commandSeq = lastSeq;
    if (held.length > 0) this.#held.hold(held, { firstSeq, lastSeq, effects: held.length });
  }

  /** See `HeldStates`. */
  heldSince(seq: number): string[] {
    return this.#held.heldSince(seq);
  }

  /** See `HeldStates`. */
  heldBeyond(most: number): string[] {
    return this.#held.beyond(most);
  }

  /** The objects' states go to the disk as they are now, with all that commands had to tell. */
  begin(refs: readonly string[]): PendingAppend {
    const firstHeldSeq = this.#held.release(refs);
    const others = this.#flights.map((other) => other.firstHeldSeq - 1);
    const appliedSeq = Math.min(this.#commandSeq, this.#held.firstSeq - 1, ...others);
    const flight = { commandSeq: this.#commandSeq, appliedSeq, firstHeldSeq };
    this.#flights = [...this.#flights, flight];
    return flight;
  }

  succeeded(flight: PendingAppend): void {
    this.failed(flight);
    this.#landedSeq = Math.max(this.#landedSeq, flight.appliedSeq);
    this.#held.forget(this.#landedSeq);
  }

  /** Nothing of it is on the disk: whoever began it has all of it in the next one, and no other one beside that. */
  failed(flight: PendingAppend): void {
    this.#flights = this.#flights.filter((other) => other !== flight);
  }
}
