import { rowDigestTerm } from "@realmwatch/shared/platform/row-digest";
import type { RowChange } from "@realmwatch/shared/row/row";
import { objectToken } from "@realmwatch/shared/wire/nats/nats-subjects";

/** Number of a row message within its epoch, in the order of sending, from 1. */
export type RowMessageNumber = { readonly epoch: number; readonly number: number };

/** Number of live rows, and exclusive-or of their digest terms, 0n for no row. */
type RowSetDigest = { readonly rows: number; readonly digest: bigint };

/** Rows that were sent, as of one row message. */
export type AcknowledgedRowSet = {
  /** All row messages of the epoch up to this number are settled; the other fields cover exactly these. */
  readonly published: number;
  /** Rows that the stream has acknowledged. */
  readonly stored: RowSetDigest;
  /** Rows that the agent has: as `stored`, but with the newest version of each object, refused or not. */
  readonly claimed: RowSetDigest;
  /** Greatest revision of an acknowledged row or removal; 0 before the first one. */
  readonly revision: number;
};

/** End of a row message: the stream has acknowledged the change, or refused it. */
export type SettledChange = { readonly kind: "stored" | "refused"; readonly change: RowChange };

/** Effect of one settled message on the set. */
type RowSetChange = Omit<AcknowledgedRowSet, "published">;

const noRows: RowSetDigest = { rows: 0, digest: 0n };
const noChange: RowSetChange = { stored: noRows, claimed: noRows, revision: 0 };

/**
 * Numbers the row messages and keeps the set of their rows. Messages are acknowledged out of order; the set is
 * given as of the last number up to which all are settled, so that the aggregator can compare what it holds at the same
 * message. Expects at most one message of an object in flight. Costs O(1) for each message, and memory for one digest
 * term of each live object and for the settled messages above the first one in flight.
 */
export class AcknowledgedRows {
  /** Digest term of the last acknowledged row, by object token. */
  readonly #terms = new Map<string, bigint>();
  /** Digest term of the newest version of each object whose newest version was refused; undefined for a removal. */
  readonly #refused = new Map<string, bigint | undefined>();
  /** Changes of settled messages that are not yet part of the set, by number. */
  readonly #unfolded = new Map<number, RowSetChange>();
  #epoch = 0;
  #lastNumber = 0;
  #set: AcknowledgedRowSet = { published: 0, ...noChange };

  get set(): AcknowledgedRowSet {
    return this.#set;
  }

  /**
   * Starts the numbering of a new epoch; has no effect for the current one. Rows of the earlier epoch stay in the set
   * until their successors are acknowledged, as they stay at the aggregator.
   */
  startEpoch(epoch: number): void {
    if (epoch === this.#epoch) return;
    for (const change of this.#unfolded.values()) this.#fold(change, 0);
    this.#unfolded.clear();
    [this.#epoch, this.#lastNumber] = [epoch, 0];
    this.#set = { ...this.#set, published: 0 };
  }

  /** Draws the number of the next row message. Each number must be settled once. */
  nextNumber(): RowMessageNumber {
    this.#lastNumber += 1;
    return { epoch: this.#epoch, number: this.#lastNumber };
  }

  /** Records the end of a message. @param settled undefined when the message failed and is sent again */
  settle({ epoch, number }: RowMessageNumber, settled: SettledChange | undefined): void {
    const change = settled === undefined ? noChange : this.#apply(settled);
    // The numbers of an earlier epoch have ended; its rows count as published before the first message of this one.
    if (epoch !== this.#epoch) return this.#fold(change, this.#set.published);
    this.#unfolded.set(number, change);
    this.#foldSettled();
  }

  /** Folds the settled messages that follow the set without a gap. */
  #foldSettled(): void {
    for (;;) {
      const next = this.#set.published + 1;
      const change = this.#unfolded.get(next);
      if (change === undefined) return;
      this.#unfolded.delete(next);
      this.#fold(change, next);
    }
  }

  #apply({ kind, change }: SettledChange): RowSetChange {
    const { key, version } = versionOf(change);
    const token = objectToken(key);
    const storedBefore = this.#terms.get(token);
    const claimedBefore = this.#refused.has(token) ? this.#refused.get(token) : storedBefore;
    const term = change.kind === "put" ? rowDigestTerm(token, version.epoch, version.revision) : undefined;
    const claimed = difference(claimedBefore, term);
    if (kind === "refused") {
      this.#refused.set(token, term);
      return { stored: noRows, claimed, revision: 0 };
    }
    this.#refused.delete(token);
    if (term === undefined) this.#terms.delete(token);
    else this.#terms.set(token, term);
    return { stored: difference(storedBefore, term), claimed, revision: version.revision };
  }

  #fold(change: RowSetChange, published: number): void {
    const { stored, claimed, revision } = this.#set;
    this.#set = {
      published,
      stored: sum(stored, change.stored),
      claimed: sum(claimed, change.claimed),
      revision: Math.max(revision, change.revision),
    };
  }
}

const difference = (before: bigint | undefined, after: bigint | undefined): RowSetDigest => ({
  rows: Number(after !== undefined) - Number(before !== undefined),
  digest: (before ?? 0n) ^ (after ?? 0n),
});

const sum = (one: RowSetDigest, other: RowSetDigest): RowSetDigest => ({
  rows: one.rows + other.rows,
  digest: one.digest ^ other.digest,
});

const versionOf = (change: RowChange) =>
  change.kind === "put"
    ? { key: change.row.about.key, version: change.row }
    : { key: change.key, version: { epoch: change.epoch, revision: change.revision } };
