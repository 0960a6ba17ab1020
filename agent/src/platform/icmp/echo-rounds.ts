import { DueHeap, type DueHeapItem, notInHeap } from "../due-heap.ts";
import type { EchoRoundRequest, EchoRoundResult } from "./echo-protocol.ts";

/** Maximum echoes of a round. They have consecutive numbers, so that an echo's number identifies its round as well. */
const maxEchoes = 8;
const roundNumbers = 2 ** 32 / maxEchoes;
/** Least time to wait for missing replies once some have arrived, ms; longer is twice the slowest reply. */
const lingerMs = 1_000;

/** Result of sending an echo: `busy` means to retry soon; `code` is the system's error code. */
export type EchoSendResult = "sent" | "busy" | { readonly code: string };
/** Delay before a retry after `busy`, ms. */
const busyMs = 2;

type Running<Target> = DueHeapItem & {
  readonly request: EchoRoundRequest;
  readonly target: Target;
  readonly deadlineMs: number;
  readonly number: number;
  /** Monotonic time at which each echo was sent, ms. */
  readonly sentAtMs: number[];
  /** The same times by the clock that stamps replies. */
  readonly stampsMs: number[];
  /** Bit set of echoes without a reply or error. */
  open: number;
  received: number;
  sumMs: number;
  slowestMs: number;
  refusal: string;
};

type RoundsOptions<Target> = {
  /** Clock that stamps replies, ms. It may jump. */
  stampMs(): number;
  send(target: Target, number: number): EchoSendResult;
  done(id: number, result: EchoRoundResult): void;
};

/** State of all rounds in progress. The caller passes in times and replies; echoes are sent through `send`. */
export class EchoRounds<Target> {
  readonly #options: RoundsOptions<Target>;
  readonly #running = new Map<number, Running<Target>>();
  readonly #due = new DueHeap<Running<Target>>();
  #next = 0;

  constructor(options: RoundsOptions<Target>) {
    this.#options = options;
  }

  /** Number of rounds without a result. */
  get size(): number {
    return this.#running.size;
  }

  /** Time at which `step` is due next, ms. */
  get nextMs(): number {
    return this.#due.nextAt;
  }

  /** First echo number of the next round; numbers of echoes in flight are below it, modulo 2^32. */
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

  /** Performs at most `limit` due actions, so that the caller reads replies in between. */
  step(nowMs: number, limit: number): void {
    for (let left = limit; left > 0; left--) {
      const round = this.#due.take(nowMs);
      if (round === undefined) return;
      if (nowMs >= round.deadlineMs || round.sentAtMs.length === round.request.count) this.#end(round);
      else this.#send(round, nowMs);
    }
  }

  /**
   * Records a reply, received at `stampedMs` of the stamping clock. Duplicate and late replies are ignored. If that clock
   * jumped, the time since sending by the monotonic clock is used instead.
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

  /** Records a router's ICMP error for an echo. */
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
    // Recorded before sending, because on loopback the reply is received during the call.
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

  /** After the last echo was sent: ends the round when none is pending, else schedules its end. */
  #wait(round: Running<Target>): void {
    if (round.sentAtMs.length < round.request.count) return;
    if (round.open === 0) return this.#end(round);
    const lastMs = round.sentAtMs.at(-1) as number;
    const lingerUntilMs = lastMs + Math.max(lingerMs, 2 * round.slowestMs);
    this.#due.set(round, round.received > 0 ? Math.min(lingerUntilMs, round.deadlineMs) : round.deadlineMs);
  }

  #end(round: Running<Target>): void {
    this.#running.delete(round.number);
    this.#due.delete(round);
    const { received, refusal, request, sentAtMs } = round;
    const averageMs = received === 0 ? undefined : round.sumMs / received;
    // Echoes that were not sent before the deadline do not count as lost.
    this.#options.done(request.id, { kind: "answered", sent: sentAtMs.length, received, averageMs, refusal });
  }
}
