import type { JournaledObject } from "./stored-object.ts";

type KeptCommands = {
  readonly states: ReadonlyMap<string, JournaledObject>;
  /** The last command that an earlier start accepted. */
  readonly lastSeq: number;
  /** Commands up to this one are in all of the states. */
  readonly appliedSeq: number;
  /** History has what commands up to this one did. */
  readonly recordedSeq: number;
};

/**
 * What an earlier start had kept already of the commands that are applied again: states are written now and then, each
 * with the last command that it knows of, and history at once.
 */
export class CommandReplay {
  /** By object, where that is more than in all states. */
  readonly #upTo = new Map<string, number>();
  readonly #recordedSeq: number;
  #lastSeq: number;

  constructor({ states, appliedSeq, lastSeq, recordedSeq }: KeptCommands) {
    this.#lastSeq = lastSeq;
    for (const [ref, { upToCommand }] of states) if (upToCommand > appliedSeq) this.#upTo.set(ref, upToCommand);
    this.#recordedSeq = recordedSeq;
  }

  /** Whether the command came to an earlier start. */
  wasAcceptedBefore(seq: number): boolean {
    return seq <= this.#lastSeq;
  }

  /** Whether the object's state had the command's effect. */
  isInStoredState(ref: string, seq: number): boolean {
    const storedUpTo = this.#upTo.get(ref);
    return storedUpTo !== undefined && seq <= storedUpTo;
  }

  isInHistory(seq: number): boolean {
    return seq <= this.#recordedSeq;
  }

  /** The last command that the object's state knows of, when those up to `seq` were applied. */
  upTo(ref: string, seq: number): number {
    return Math.max(seq, this.#upTo.get(ref) ?? 0);
  }

  /** All have been applied again. */
  end(): void {
    this.#upTo.clear();
    this.#lastSeq = -1;
  }
}

/** Of a realm that has no past; its commands need no numbers. */
export const emptyReplay = (): CommandReplay => new CommandReplay({ states: new Map(), appliedSeq: -1, lastSeq: -1, recordedSeq: -1 });
