import type { Clock } from "../../model/clock.ts";
import { peerNetwork } from "../http/peer-network.ts";
import { ByteBudget, type ByteLimits, type ByteShare, type PeerBytes } from "./byte-budget.ts";
import { FairTurns } from "./fair-turns.ts";

export type AdmissionLimits = {
  /** Requests of one peer that are read, executed or answered at the same time. */
  readonly active: number;
  /** Streaming calls of one peer; they do not count as active. */
  readonly streaming: number;
  /** Requests of one peer that wait for their turn. */
  readonly waiting: number;
  /** Bytes of requests that are received or executed, as received and after decompression. */
  readonly bodies: ByteLimits;
  /** Bytes of answers that the callers have not read yet. */
  readonly answers: ByteLimits;
  /** Time of a round of the event loop after which no further request is begun in it, ms; 0 for one request a round. */
  readonly beginMs: number;
  /** Time without progress after which an answer counts as not read, ms. */
  readonly stallMs: number;
};

const mib = 2 ** 20;

export const defaultAdmissionLimits: AdmissionLimits = {
  active: 16,
  streaming: 100,
  waiting: 1_000,
  beginMs: 2,
  bodies: { totalBytes: 256 * mib, perPeerBytes: 64 * mib, freeBytes: 65_536 },
  answers: { totalBytes: 256 * mib, perPeerBytes: 64 * mib },
  stallMs: 10_000,
};

/** Number of rounds of the event loop after a large message was decoded: a new connection needs some of them until its request is answered. */
const roundsAfterDecoding = 5;

/** Number of peers from which on those without a request are forgotten. */
const rememberedPeers = 1_000;

/** Requests and bytes of one peer. */
type Peer = {
  readonly key: string;
  readonly bodies: PeerBytes;
  readonly answers: PeerBytes;
  readonly waiting: AdmittedRequest[];
  active: number;
  streaming: number;
};

type EnteringRequest = {
  /** Begins to read and execute the request; called once, possibly before `enter` returns. */
  readonly begin: (admitted: AdmittedRequest) => void;
  /** True for a call that streams, which may last for hours. */
  readonly isStreaming?: boolean;
  /** Bytes of the body that may be received while the request waits. */
  readonly heldBytes?: number;
};

/**
 * [PT8, PT26] Decides when a request begins. Each peer, which is an address or an IPv6 network, has a limited number of
 * active requests and budgets for its bodies and its unread answers; its further requests wait. Peers begin requests in
 * fair turns.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #bodies: ByteBudget;
  readonly #answers: ByteBudget;
  readonly #begins: FairTurns;
  readonly #decoding: FairTurns;
  // Entries stay after their last request: a map that changes with every request retains memory.
  readonly #peers = new Map<string, Peer>();

  constructor(limits: AdmissionLimits, clock: Pick<Clock, "monotonic">) {
    this.#limits = limits;
    this.#clock = clock;
    this.#begins = new FairTurns({ rounds: 1, sliceMs: limits.beginMs, clock });
    this.#decoding = new FairTurns({ rounds: roundsAfterDecoding, clock });
    this.#bodies = new ByteBudget(limits.bodies);
    this.#answers = new ByteBudget(limits.answers);
  }

  /** Number of bytes of bodies that count at present. */
  get bodyBytes(): number {
    return this.#bodies.bytes;
  }

  /** Admits a request of an address. Undefined when it is refused because too many requests or bytes of its peer wait. */
  enter(address: string, { begin, isStreaming = false, heldBytes = 0 }: EnteringRequest): AdmittedRequest | undefined {
    const peer = this.#peerOf(peerNetwork(address));
    const isFull = isStreaming ? peer.streaming >= this.#limits.streaming : peer.waiting.length >= this.#limits.waiting;
    if (isFull) return undefined;
    const request = new AdmittedRequest({
      body: this.#bodies.open(peer.bodies),
      answer: this.#answers.open(peer.answers),
      clock: this.#clock,
      stallMs: this.#limits.stallMs,
      begin,
      takeTurn: (work) => this.#decoding.take(peer.key, work),
      pass: () => {
        if (!isStreaming) peer.active -= 1;
        this.#admit(peer);
      },
      leave: (hasPassed) => this.#leave(peer, request, { isStreaming, hasPassed }),
      progress: () => this.#admit(peer),
    });
    if (isStreaming) {
      peer.streaming += 1;
      request.queue(this.#begins, peer.key);
    } else {
      peer.waiting.push(request);
      this.#admit(peer);
    }
    if (request.hasBegun || request.hold(heldBytes)) return request;
    request.leave();
    return undefined;
  }

  /** Gives turns to the waiting requests of a peer that may become active. */
  #admit(peer: Peer): void {
    while (peer.active < this.#limits.active && this.#answers.hasRoom(peer.answers)) {
      const request = peer.waiting.shift();
      if (request === undefined) return;
      peer.active += 1;
      request.queue(this.#begins, peer.key);
    }
  }

  #leave(
    peer: Peer,
    request: AdmittedRequest,
    { isStreaming, hasPassed }: { readonly isStreaming: boolean; readonly hasPassed: boolean },
  ): void {
    const at = request.hasBegun ? -1 : peer.waiting.indexOf(request);
    if (isStreaming) peer.streaming -= 1;
    else if (at >= 0) peer.waiting.splice(at, 1);
    else if (!hasPassed) peer.active -= 1;
    this.#admit(peer);
  }

  #peerOf(key: string): Peer {
    const known = this.#peers.get(key);
    if (known !== undefined) return known;
    if (this.#peers.size >= rememberedPeers) this.#forgetIdlePeers();
    const peer = { key, bodies: { bytes: 0 }, answers: { bytes: 0 }, waiting: [], active: 0, streaming: 0 };
    this.#peers.set(key, peer);
    return peer;
  }

  #forgetIdlePeers(): void {
    for (const [key, { active, streaming, waiting }] of this.#peers)
      if (active + streaming + waiting.length === 0) this.#peers.delete(key);
  }
}

type AdmittedRequestOptions = {
  readonly body: ByteShare;
  readonly answer: ByteShare;
  readonly clock: Pick<Clock, "monotonic">;
  readonly stallMs: number;
  readonly begin: EnteringRequest["begin"];
  /** Calls `work` in a turn for work that takes some ms. Returns a function that gives it up. */
  readonly takeTurn: (work: () => void) => () => void;
  readonly pass: () => void;
  readonly leave: (hasPassed: boolean) => void;
  readonly progress: () => void;
};

/** Request that waits for its turn or is active, until `leave`. */
export class AdmittedRequest {
  /** Bytes of the body in memory. */
  readonly body: ByteShare;
  readonly #options: AdmittedRequestOptions;
  #giveUpTurn: () => void = () => {};
  #hasBegun = false;
  #hasLeft = false;
  #hasPassed = false;
  /** Time of the last progress of the answer, monotonic ms. */
  #progressAtMs = 0;

  constructor(options: AdmittedRequestOptions) {
    this.#options = options;
    this.body = options.body;
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Begins in a turn of the peer. */
  queue(turns: FairTurns, peer: string): void {
    this.#giveUpTurn = turns.take(peer, () => {
      this.#hasBegun = true;
      this.body.release();
      this.#options.begin(this);
    });
  }

  /** Counts bytes that the body may take until the request begins; false when the budget is used up. */
  hold(bytes: number): boolean {
    return bytes === 0 || this.body.take(bytes);
  }

  /**
   * Waits for a turn of the peer, for work that takes some ms, such as decoding a large message. Resolves to false when the
   * request has left, and the work has no use any more.
   */
  nextTurn(): Promise<boolean> {
    return new Promise((resolve) => {
      if (this.#hasLeft) return resolve(false);
      const giveUp = this.#options.takeTurn(() => resolve(true));
      this.#giveUpTurn = () => {
        giveUp();
        resolve(false);
      };
    });
  }

  /**
   * [PT26] Lets another request of the peer become active: what is left to do for this one is done elsewhere, as by the
   * disk that stores a command. May be called twice.
   */
  pass(): void {
    if (this.#hasLeft || this.#hasPassed) return;
    this.#hasPassed = true;
    this.#options.pass();
  }

  /** Counts bytes of the answer that are passed to the connection. */
  wrote(bytes: number): void {
    if (this.#hasLeft) return;
    const { answer, clock } = this.#options;
    if (answer.bytes === 0) this.#progressAtMs = clock.monotonic();
    answer.add(bytes);
  }

  /** Stops counting bytes of the answer, because the connection has sent them. */
  sent(bytes: number): void {
    if (this.#hasLeft || bytes === 0) return;
    const { answer, clock, progress } = this.#options;
    this.#progressAtMs = clock.monotonic();
    answer.giveBack(bytes);
    progress();
  }

  /** Number of bytes of the answer that the connection has not sent. */
  get unsentBytes(): number {
    return this.#options.answer.bytes;
  }

  /** True when the caller has not read any of the answer for too long. */
  isStalled(nowMs: number): boolean {
    return this.unsentBytes > 0 && nowMs - this.#progressAtMs >= this.#options.stallMs;
  }

  /** Ends the request, or gives up its turn. May be called twice. */
  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.body.release();
    this.#options.answer.release();
    // Before the turn is given up, so that the next request of the peer keeps its place in the circle.
    this.#options.leave(this.#hasPassed);
    this.#giveUpTurn();
  }
}
