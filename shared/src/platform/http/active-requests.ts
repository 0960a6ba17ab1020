import type { IncomingMessage } from "node:http";
import type { Clock } from "../../model/clock.ts";
import { SlotTable } from "../slot-table.ts";
import type { HttpRequest, HttpResponse } from "./http-messages.ts";

type ActiveRequest = {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  /** Time at which the request is aborted, monotonic ms. */
  readonly deadlineMs: number;
};

/**
 * Requests that are being read or answered. One periodic scan aborts those past their deadline; a timer per request
 * would cost more than the requests themselves.
 */
export class ActiveRequests implements Iterable<ActiveRequest> {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #open = new SlotTable<ActiveRequest>();
  #cancelScan: (() => void) | undefined;

  /** @param intervalMs time between two scans, ms */
  constructor(clock: Clock, intervalMs: number) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
  }

  /**
   * Registers a request that may take up to `maxMs`.
   *
   * @returns the slot to pass to `remove` when the response stream closes
   */
  add(request: HttpRequest, response: HttpResponse, maxMs: number): number {
    if (this.#cancelScan === undefined) this.#scheduleScan();
    return this.#open.add({ request, response, deadlineMs: this.#clock.monotonic() + maxMs });
  }

  remove(slot: number): void {
    this.#open.remove(slot);
  }

  [Symbol.iterator](): Iterator<ActiveRequest> {
    return this.#open[Symbol.iterator]();
  }

  /** Stops the scan. To be called when no request is active and no more will arrive. */
  stop(): void {
    this.#cancelScan?.();
  }

  #scheduleScan(): void {
    this.#cancelScan = this.#clock.after(this.#intervalMs, () => {
      const nowMs = this.#clock.monotonic();
      for (const { request, deadlineMs } of this.#open) if (deadlineMs <= nowMs) abortRequest(request);
      this.#cancelScan = undefined;
      if (this.#open.size > 0) this.#scheduleScan();
    });
  }
}

/** Closes the stream (HTTP/2) or the connection (HTTP/1.1) of a request. */
export function abortRequest(request: HttpRequest): void {
  if ("stream" in request) request.stream.close();
  else (request as IncomingMessage).socket.destroy();
}
