import type { IncomingMessage } from "node:http";
import type { Clock } from "../../model/clock.ts";
import type { HttpRequest, HttpResponse } from "../rpc/rpc-handler.ts";
import { SlotTable } from "../slot-table.ts";

type ActiveRequest = {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  /** When it is cut off, on the monotonic clock. */
  readonly deadlineMs: number;
};

/**
 * Requests that are being read or answered. One that takes too long is cut off, at the next of the looks that are taken
 * at all of them while there are any: a timer for each would cost more than what it guards.
 */
export class ActiveRequests implements Iterable<ActiveRequest> {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #open = new SlotTable<ActiveRequest>();
  #cancelLook: (() => void) | undefined;

  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock;
    this.#everyMs = everyMs;
  }

  /** Answers the slot for `take`, which is called once the answer's stream is closed. */
  add(request: HttpRequest, response: HttpResponse, mostMs: number): number {
    if (this.#cancelLook === undefined) this.#lookLater();
    return this.#open.add({ request, response, deadlineMs: this.#clock.monotonic() + mostMs });
  }

  remove(slot: number): void {
    this.#open.remove(slot);
  }

  [Symbol.iterator](): Iterator<ActiveRequest> {
    return this.#open[Symbol.iterator]();
  }

  /** Call it when nothing is open and nothing will be. */
  stop(): void {
    this.#cancelLook?.();
  }

  #lookLater(): void {
    this.#cancelLook = this.#clock.after(this.#everyMs, () => {
      const nowMs = this.#clock.monotonic();
      for (const { request, deadlineMs } of this.#open) if (deadlineMs <= nowMs) abortRequest(request);
      this.#cancelLook = undefined;
      if (this.#open.size > 0) this.#lookLater();
    });
  }
}

export function abortRequest(request: HttpRequest): void {
  if ("stream" in request) request.stream.close();
  else (request as IncomingMessage).socket.destroy();
}
