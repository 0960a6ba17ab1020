import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { AdmittedRequest } from "../admission/admission.ts";
import { SlotTable } from "../slot-table.ts";
import { type HttpRequest, type HttpResponse, isWhole } from "./http-messages.ts";

/** Request that waits for its turn, is read, executed or answered. */
export type OpenRequest = {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  /** Time at which the request is aborted, monotonic ms. */
  readonly deadlineMs: number;
  /** Undefined for a request that was refused. */
  admitted: AdmittedRequest | undefined;
};

/** Most requests that a connection may send ahead while one is served. */
const maxAhead = 100;

/** Property of a socket that has its connection. The socket of an HTTP/2 request is a proxy, which has the property too. */
const connectionKey = Symbol("connection");

/** Open connection of a server. */
export class Connection {
  readonly socket: Socket;
  readonly requests = new SlotTable<OpenRequest>();

  /** Requests of HTTP/1 that wait for the one that is served. */
  readonly #ahead: { readonly response: ServerResponse; readonly serve: () => void }[] = [];
  #isServing = false;

  constructor(socket: Socket) {
    this.socket = socket;
    this.mark(socket);
  }

  /** Makes this the connection of the requests that arrive by `stream`. */
  mark(stream: object): void {
    Object.assign(stream, { [connectionKey]: this });
  }

  /**
   * [PT26] Serves the requests of an HTTP/1 connection one after the other. The connection is read no further while one
   * waits; it is closed when a packet had more than 100 of them.
   */
  serveInTurn(response: ServerResponse, serve: () => void): void {
    if (!this.#isServing) return this.#serve(response, serve);
    if (this.#ahead.push({ response, serve }) > maxAhead) this.socket.destroy();
    else this.socket.pause();
  }

  #serve(response: ServerResponse, serve: () => void): void {
    this.#isServing = true;
    response.once("close", () => {
      this.#isServing = false;
      if (this.socket.destroyed) this.#ahead.length = 0;
      const next = this.#ahead.shift();
      if (next !== undefined) this.#serve(next.response, next.serve);
      else if (!this.socket.destroyed) this.socket.resume();
    });
    serve();
  }

  /** True when a request was received as a whole. */
  get hasWholeRequest(): boolean {
    for (const { request } of this.requests) if (isWhole(request)) return true;
    return false;
  }

  /** False when an answer is read, and while no answer is sent. */
  isStalled(nowMs: number): boolean {
    const sending = [...this.requests].filter(({ admitted }) => (admitted?.unsentBytes ?? 0) > 0);
    return sending.length > 0 && sending.every(({ admitted }) => admitted?.isStalled(nowMs));
  }
}

export const connectionOf = ({ socket }: HttpRequest): Connection | undefined =>
  (socket as { [connectionKey]?: Connection })[connectionKey];
