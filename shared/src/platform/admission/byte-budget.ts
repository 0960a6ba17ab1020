/** Maximum number of bytes in memory. */
export type ByteLimits = {
  readonly totalBytes: number;
  /** Bytes of one peer. */
  readonly perPeerBytes: number;
  /** Bytes of a peer that are taken although those of other peers use up the total. Default: 0. */
  readonly freeBytes?: number;
};

/** Bytes of one peer in a budget. */
export type PeerBytes = { bytes: number };

/**
 * [PT8] Budget of bytes in memory, of all peers together and of each. The only share of a peer is limited by the total and
 * not by the peer's limit, so that the largest document passes.
 */
export class ByteBudget {
  readonly #limits: ByteLimits;
  #total = 0;

  constructor(limits: ByteLimits) {
    this.#limits = limits;
  }

  /** Number of bytes that count at present. */
  get bytes(): number {
    return this.#total;
  }

  open(peer: PeerBytes): ByteShare {
    return new ByteShare({
      hasRoomFor: (bytes, own) => this.#hasRoomFor(peer, bytes, own),
      count: (bytes) => {
        peer.bytes += bytes;
        this.#total += bytes;
      },
    });
  }

  /** False while the bytes of the peer, or of all peers, have reached their limit. */
  hasRoom({ bytes }: PeerBytes): boolean {
    const { totalBytes, perPeerBytes, freeBytes = 0 } = this.#limits;
    return bytes < perPeerBytes && (this.#total < totalBytes || bytes <= freeBytes);
  }

  #hasRoomFor(peer: PeerBytes, bytes: number, own: number): boolean {
    const { totalBytes, perPeerBytes, freeBytes = 0 } = this.#limits;
    if (this.#total + bytes > totalBytes && peer.bytes + bytes > freeBytes) return false;
    return peer.bytes <= own || peer.bytes + bytes <= perPeerBytes;
  }
}

type Account = {
  /** True when a share of `own` bytes may take further bytes. */
  readonly hasRoomFor: (bytes: number, own: number) => boolean;
  /** Counts bytes, negative ones too. */
  readonly count: (bytes: number) => void;
};

/** Bytes of one request that count towards a budget. */
export class ByteShare {
  readonly #account: Account;
  #own = 0;

  constructor(account: Account) {
    this.#account = account;
  }

  get bytes(): number {
    return this.#own;
  }

  /** Counts further bytes; false, and then they do not count, when the budget is used up. */
  take(bytes: number): boolean {
    if (!this.#account.hasRoomFor(bytes, this.#own)) return false;
    this.add(bytes);
    return true;
  }

  /** Counts further bytes, which exist already, even above the limits. */
  add(bytes: number): void {
    this.#account.count(bytes);
    this.#own += bytes;
  }

  /** Stops counting some of the bytes. */
  giveBack(bytes: number): void {
    this.add(-bytes);
  }

  /** Stops counting all bytes. May be called twice. */
  release(): void {
    this.giveBack(this.#own);
  }
}
