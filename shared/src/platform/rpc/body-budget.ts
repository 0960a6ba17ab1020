/** Maximum number of bytes of requests in memory. */
export type BodyBudgetLimits = {
  readonly totalBytes: number;
  /** Bytes of the requests of one peer. */
  readonly perPeerBytes: number;
};

export const defaultBodyBudgetLimits: BodyBudgetLimits = { totalBytes: 256 * 2 ** 20, perPeerBytes: 64 * 2 ** 20 };

/** Bytes and number of one peer's requests. */
type PeerUsage = { bytes: number; requests: number };

/** Number of peers from which on those without a request are forgotten. */
const rememberedPeers = 1_000;

/**
 * [PT8] Budget for the bodies of all requests that are being received or executed, as received and after decompression.
 * The only request of a peer is limited by its own size limit and the total, so that the largest document passes.
 */
export class BodyBudget {
  readonly #limits: BodyBudgetLimits;
  // Entries stay after their last request: a map that changes with every request retains memory.
  readonly #byPeer = new Map<string, PeerUsage>();
  #total = 0;

  constructor(limits: BodyBudgetLimits) {
    this.#limits = limits;
  }

  /** Number of bytes that count at present. */
  get bytes(): number {
    return this.#total;
  }

  /** Begins a request of a peer. Its share must be released. */
  open(peer: string): BodyShare {
    let usage = this.#byPeer.get(peer);
    if (usage === undefined) {
      if (this.#byPeer.size >= rememberedPeers) this.#forgetIdlePeers();
      usage = { bytes: 0, requests: 0 };
      this.#byPeer.set(peer, usage);
    }
    usage.requests += 1;
    return new BodyShare({
      count: (bytes, own) => this.#count(usage, bytes, own),
      end: () => {
        usage.requests -= 1;
      },
    });
  }

  /** Counts bytes, negative ones too. False when that would exceed a limit. */
  #count(usage: PeerUsage, bytes: number, own: number): boolean {
    const { totalBytes, perPeerBytes } = this.#limits;
    if (bytes > 0 && this.#total + bytes > totalBytes) return false;
    if (bytes > 0 && usage.bytes > own && usage.bytes + bytes > perPeerBytes) return false;
    usage.bytes += bytes;
    this.#total += bytes;
    return true;
  }

  #forgetIdlePeers(): void {
    for (const [peer, { requests }] of this.#byPeer) if (requests === 0) this.#byPeer.delete(peer);
  }
}

type Account = {
  /** Counts bytes of a request that has `own` bytes already; false when a limit would be exceeded. */
  readonly count: (bytes: number, own: number) => boolean;
  readonly end: () => void;
};

/** Bytes of one request that count towards a budget. */
export class BodyShare {
  readonly #account: Account;
  #own = 0;

  constructor(account: Account) {
    this.#account = account;
  }

  /** Counts further bytes; false, and then they do not count, when the budget is used up. */
  take(bytes: number): boolean {
    const taken = this.#account.count(bytes, this.#own);
    if (taken) this.#own += bytes;
    return taken;
  }

  /** Stops counting some of the bytes. */
  giveBack(bytes: number): void {
    this.#account.count(-bytes, this.#own);
    this.#own -= bytes;
  }

  /** Ends the request; its bytes count no longer. To be called once. */
  release(): void {
    this.giveBack(this.#own);
    this.#account.end();
  }
}
