import type { IncomingMessage } from "node:http";
import type { Clock } from "../../model/clock.ts";
import type { HttpRequest, HttpResponse } from "../rpc/rpc-handler.ts";
import { Slots } from "../slot-table.ts";

type Exchange = {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  /** When it is cut off, on the monotonic clock. */
  readonly lastMs: number;
};

/**
 * Requests that are being read or answered. One that takes too long is cut off, at the next of the looks that are taken
 * at all of them while there are any: a timer for each would cost more than what it guards.
 */
export class OpenExchanges implements Iterable<Exchange> {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #open = new Slots<Exchange>();
  #cancelLook: (() => void) | undefined;

  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock;
    this.#everyMs = everyMs;
  }

  /** Answers the slot for `take`, which is called once the answer's stream is closed. */
  add(request: HttpRequest, response: HttpResponse, mostMs: number): number {
    if (this.#cancelLook === undefined) this.#lookLater();
    return this.#open.add({ request, response, lastMs: this.#clock.monotonic() + mostMs });
  }

  take(slot: number): void {
    this.#open.take(slot);
  }

  [Symbol.iterator](): Iterator<Exchange> {
    return this.#open[Symbol.iterator]();
  }

  /** Call it when nothing is open and nothing will be. */
  stop(): void {
    this.#cancelLook?.();
  }

  #lookLater(): void {
    this.#cancelLook = this.#clock.after(this.#everyMs, () => {
      const nowMs = this.#clock.monotonic();
      for (const { request, lastMs } of this.#open) if (lastMs <= nowMs) cutOff(request);
      this.#cancelLook = undefined;
      if (this.#open.size > 0) this.#lookLater();
    });
  }
}

export function cutOff(request: HttpRequest): void {
  if ("stream" in request) request.stream.close();
  else (request as IncomingMessage).socket.destroy();
}
