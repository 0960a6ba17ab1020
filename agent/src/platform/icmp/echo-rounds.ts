import { DueHeap, type DueHeapItem, notInHeap } from "../due-heap.ts";
import type { EchoRoundRequest, EchoRoundResult } from "./echo-protocol.ts";

/** The most echoes of a round: a round's echoes have consecutive numbers, so that one look-up finds both. */
export const maxEchoes = 8;
const roundNumbers = 2 ** 32 / maxEchoes;
/** Where some echoes came back the others are given this long, or twice the slowest of their round, ms. */
const lingerMs = 1_000;

/** What came of sending: gone, to be tried again soon, or the system's error code. */
export type EchoSendResult = "sent" | "busy" | { readonly code: string };
/** How long to wait after `busy`, ms. */
const busyMs = 2;

type Running<Target> = DueHeapItem & {
  readonly request: EchoRoundRequest;
  readonly target: Target;
  readonly deadlineMs: number;
  readonly number: number;
  /** When each echo was sent, ms. */
  readonly sentAtMs: number[];
  /** The same by the clock that stamps answers. */
  readonly stampsMs: number[];
  /** A bit for each echo that waits for its answer. */
  open: number;
  received: number;
  sumMs: number;
  slowestMs: number;
  refusal: string;
};

export type RoundsOptions<Target> = {
  /** The clock that stamps answers, ms. It may jump. */
  stampMs(): number;
  send(target: Target, number: number): EchoSendResult;
  done(id: number, result: EchoRoundResult): void;
};

/** Keeps count of the rounds of echoes under way. Told what time it is and what came back; sends through `send`. */
export class EchoRounds<Target> {
  readonly #options: RoundsOptions<Target>;
  readonly #running = new Map<number, Running<Target>>();
  readonly #due = new DueHeap<Running<Target>>();
  #next = 0;

  constructor(options: RoundsOptions<Target>) {
    this.#options = options;
  }

  /** Rounds that have no result yet. */
  get size(): number {
    return this.#running.size;
  }

  /** When something is to be done next, ms. */
  get nextMs(): number {
    return this.#due.nextAt;
  }

  /** The number that the next round begins with; all echoes under way are below, counting around. */
  get nextNumber(): number {
    return this.#next * maxEchoes;
  }

  start(request: EchoRoundRequest, target: Target, nowMs: number): void {
    while (this.#running.has(this.#next)) this.#next = (this.#next + 1) % roundNumbers;
    const number = this.#next;
    this.#next = (number + 1) % roundNumbers;
    const deadlineMs = nowMs + request.timeoutMs;
    const counts = { open: 0, received: 0, sumMs: 0, slowestMs: 0, refusal: "", at: nowMs, index: notInHeap };
    const round: Running<Target> = { request, target, deadlineMs, number, sentAtMs: [], stampsMs: [], ...counts };
    this.#running.set(number, round);
    this.#due.set(round, nowMs);
  }

  /** Does what is due, at most `limit` things, so that answers are read in between. */
  step(nowMs: number, limit: number): void {
    for (let left = limit; left > 0; left--) {
      const round = this.#due.take(nowMs);
      if (round === undefined) return;
      if (nowMs >= round.deadlineMs || round.sentAtMs.length === round.request.count) this.#end(round);
      else this.#send(round, nowMs);
    }
  }

  /**
   * An echo came back, by the stamping clock at `stampedMs`. One that came back before, or too late, counts for nothing.
   * Where that clock jumped, the time since sending by `nowMs` is as near as can be told.
   */
  replied(number: number, stampedMs: number, nowMs: number): void {
    const found = this.#settle(number);
    if (found === undefined) return;
    const index = number % maxEchoes;
    const atMostMs = nowMs - (found.sentAtMs[index] as number);
    const tookMs = stampedMs - (found.stampsMs[index] as number);
    const timeMs = tookMs >= 0 && tookMs <= atMostMs ? tookMs : atMostMs;
    found.received++;
    found.sumMs += timeMs;
    found.slowestMs = Math.max(found.slowestMs, timeMs);
    this.#wait(found);
  }

  /** A router refused an echo. */
  refused(number: number, why: string): void {
    const found = this.#settle(number);
    if (found === undefined) return;
    found.refusal = why;
    this.#wait(found);
  }

  #settle(number: number): Running<Target> | undefined {
    const round = this.#running.get(Math.floor(number / maxEchoes));
    const bit = 1 << (number % maxEchoes);
    if (round === undefined || (round.open & bit) === 0) return undefined;
    round.open &= ~bit;
    return round;
  }

  #send(round: Running<Target>, nowMs: number): void {
    const index = round.sentAtMs.length;
    // Before sending: on loopback the answer is there at once.
    round.sentAtMs.push(nowMs);
    round.stampsMs.push(this.#options.stampMs());
    round.open |= 1 << index;
    const sending = this.#options.send(round.target, round.number * maxEchoes + index);
    if (sending === "busy") {
      round.sentAtMs.pop();
      round.stampsMs.pop();
      round.open &= ~(1 << index);
      return this.#due.set(round, nowMs + busyMs);
    }
    if (sending !== "sent") {
      round.open &= ~(1 << index);
      round.refusal = sending.code;
    }
    if (round.sentAtMs.length < round.request.count)
      return this.#due.set(round, Math.min(nowMs + round.request.spacingMs, round.deadlineMs));
    this.#wait(round);
  }

  /** Once all are sent: ends the round where none is open, else sees to it that it ends. */
  #wait(round: Running<Target>): void {
    if (round.sentAtMs.length < round.request.count) return;
    if (round.open === 0) return this.#end(round);
    const lastMs = round.sentAtMs.at(-1) as number;
    const lingering = lastMs + Math.max(lingerMs, 2 * round.slowestMs);
    this.#due.set(round, round.received > 0 ? Math.min(lingering, round.deadlineMs) : round.deadlineMs);
  }

  #end(round: Running<Target>): void {
    this.#running.delete(round.number);
    this.#due.delete(round);
    const { received, refusal, request, sentAtMs } = round;
    const averageMs = received === 0 ? undefined : round.sumMs / received;
    // An echo that could not go out any more before the deadline was not lost on the way.
    this.#options.done(request.id, { kind: "answered", sent: sentAtMs.length, received, averageMs, refusal });
  }
}
