/** A realm's own account of its rows that NATS has stored, from a heartbeat. */
export type RowClaim = {
  readonly epoch: number;
  /** Number of the last row message of the epoch that the account covers. */
  readonly published: number;
  readonly rows: number;
  readonly digest: bigint;
};

/** Change of the row held of one object: digest terms before and after, 0n for no row. */
type HeldChange = {
  readonly termBefore: bigint;
  readonly termAfter: bigint;
  /** Epoch of the message that made the change. */
  readonly epoch: number;
  /** Number of that message within its epoch; 0 when it was not numbered. */
  readonly published: number;
};

type Delta = { readonly epoch: number; readonly published: number; readonly digest: bigint; readonly rows: number };

/** Number of recent changes that are remembered; more than any realm publishes between two heartbeats. */
const maxDeltas = 100_000;

/**
 * Digest and number of the rows held of one realm. A claim covers the messages up to a number, while later ones may
 * already be held: the recent changes are remembered, so that both sides are compared as of the same message. Without
 * that, a realm under steady traffic would never match.
 */
export class RowEvidence {
  #digest = 0n;
  #rows = 0;
  #wasProven = false;
  #deltas: Delta[] = [];
  /** True when changes were forgotten that a comparison may need; the next claim that covers them all clears it. */
  #incompleteUpTo: { readonly epoch: number; readonly published: number } | undefined;

  get digest(): bigint {
    return this.#digest;
  }

  get rows(): number {
    return this.#rows;
  }

  /**
   * True when the rows held were once those of a claim about all objects, and none has been removed since without a
   * message of the realm, because the store or the stream lacked it.
   */
  get wasProven(): boolean {
    return this.#wasProven;
  }

  /** Notes that the rows held match a claim about all objects of the realm. */
  prove(): void {
    this.#wasProven = true;
  }

  record({ termBefore, termAfter, epoch, published }: HeldChange): void {
    const digest = termBefore ^ termAfter;
    const rows = Number(termAfter !== 0n) - Number(termBefore !== 0n);
    this.#digest ^= digest;
    this.#rows += rows;
    if (published === 0) {
      if (rows < 0) this.#wasProven = false;
      return;
    }
    this.#deltas.push({ epoch, published, digest, rows });
    if (this.#deltas.length <= maxDeltas) return;
    const [forgotten] = this.#deltas.splice(0, maxDeltas / 2).slice(-1);
    this.#incompleteUpTo = forgotten;
  }

  /**
   * Compares the rows held with a claim, as of its last message. Undefined when that cannot be decided, because the
   * changes after that message were forgotten.
   */
  matches(claim: RowClaim): boolean | undefined {
    if (this.#incompleteUpTo !== undefined && isAfter(this.#incompleteUpTo, claim)) return undefined;
    this.#incompleteUpTo = undefined;
    let [digest, rows] = [this.#digest, this.#rows];
    for (const delta of this.#deltas) {
      if (!isAfter(delta, claim)) continue;
      digest ^= delta.digest;
      rows -= delta.rows;
    }
    return digest === claim.digest && rows === claim.rows;
  }

  /** [FD7] Forgets all rows, as after their store was emptied: what is held next needs a proof of its own. */
  clear(): void {
    [this.#digest, this.#rows, this.#deltas, this.#incompleteUpTo, this.#wasProven] = [0n, 0, [], undefined, false];
  }

  /** Forgets changes that the claim covers: later claims cover them too. */
  forgetUpTo(claim: RowClaim): void {
    this.#deltas = this.#deltas.filter((delta) => isAfter(delta, claim));
  }
}

type Position = { readonly epoch: number; readonly published: number };

const isAfter = (position: Position, claim: Position): boolean =>
  position.epoch > claim.epoch || (position.epoch === claim.epoch && position.published > claim.published);
