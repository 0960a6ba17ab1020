import { constants } from "node:http2";
import type { Clock } from "../../model/clock.ts";
import { SlotTable } from "../slot-table.ts";
import { connectionOf, type OpenRequest } from "./connection.ts";
import type { HttpRequest } from "./http-messages.ts";

/**
 * Open requests of all connections. One periodic scan aborts those past their deadline, and closes the connections whose
 * answers are not read; a timer per request would cost more than the requests themselves.
 */
export class OpenRequests implements Iterable<OpenRequest> {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #open = new SlotTable<OpenRequest>();
  #cancelScan: (() => void) | undefined;

  /** @param intervalMs time between two scans, ms */
  constructor(clock: Clock, intervalMs: number) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
  }

  /** Registers a request until its response closes. */
  add(open: OpenRequest): void {
    if (this.#cancelScan === undefined) this.#scheduleScan();
    const slot = this.#open.add(open);
    const requests = connectionOf(open.request)?.requests;
    const slotOfConnection = requests?.add(open);
    open.response.once("close", () => {
      this.#open.remove(slot);
      if (slotOfConnection !== undefined) requests?.remove(slotOfConnection);
    });
  }

  [Symbol.iterator](): Iterator<OpenRequest> {
    return this.#open[Symbol.iterator]();
  }

  /** Stops the scan. To be called when no request is open and no more will arrive. */
  stop(): void {
    this.#cancelScan?.();
  }

  #scheduleScan(): void {
    this.#cancelScan = this.#clock.after(this.#intervalMs, () => {
      const nowMs = this.#clock.monotonic();
      for (const { request, deadlineMs, admitted } of this.#open)
        if (deadlineMs <= nowMs) abortRequest(request);
        else if (admitted?.isStalled(nowMs)) closeStalled(request, nowMs);
      this.#cancelScan = undefined;
      if (this.#open.size > 0) this.#scheduleScan();
    });
  }
}

/** [PT28] Closes the connection of an answer that is not read; only the stream while other answers on it are read. */
function closeStalled(request: HttpRequest, nowMs: number): void {
  const connection = connectionOf(request);
  if (connection?.isStalled(nowMs)) connection.socket.destroy();
  else abortRequest(request);
}

/** Closes the stream (HTTP/2) or the connection (HTTP/1.1) of a request. */
export function abortRequest(request: HttpRequest): void {
  // With this code the stream does not wait until the caller has read its answer.
  if ("stream" in request) request.stream.close(constants.NGHTTP2_CANCEL);
  else request.socket.destroy();
}
