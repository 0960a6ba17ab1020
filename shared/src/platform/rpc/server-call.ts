import {
  Code,
  ConnectError,
  type ContextValues,
  createContextKey,
  type HandlerContext,
  type Interceptor,
} from "@connectrpc/connect";
import type { Clock } from "../../model/clock.ts";
import type { RequestAddress } from "../http/request-address.ts";

/** An RPC that has ended. */
export type CompletedRpc = {
  readonly context: HandlerContext;
  /** Undefined when the call succeeded. */
  readonly error: ConnectError | undefined;
  readonly elapsedMs: number;
  /** True when the request was read and parsed, so that the implementation was called. */
  readonly handlerCalled: boolean;
};

export type RpcServerCallOptions = Partial<RequestAddress> & {
  /** The caller's address, as trusted proxies report it. */
  readonly peer: string;
  /** Lets another request of the caller begin, because what is left to do for this call is done elsewhere. */
  readonly pass?: () => void;
  /** The smaller one of the caller's timeout and the server's limit, ms. */
  readonly timeoutMs: number;
};

/** Data of a call that is available once its headers were read. */
type Tracked = {
  readonly context: HandlerContext;
  /** Aborts the context's signal. */
  readonly abort: (reason: unknown) => void;
  readonly onComplete: (completed: CompletedRpc) => void;
  readonly clock: Clock;
  readonly startedMs: number;
  readonly cancelDeadline: () => void;
};

/**
 * Lifecycle of one RPC on the server. A call ends by refusal of access, an unreadable body, its implementation, its
 * deadline or a disconnect of the caller. The context's signal aborts on errors only, not when the call succeeds.
 */
export class RpcServerCall {
  readonly peer: string;
  readonly hosts: readonly string[];
  readonly https: boolean;
  readonly pass: () => void;
  readonly #timeoutMs: number;
  #tracked: Tracked | undefined;
  #handlerCalled = false;
  #ended = false;
  #reason: unknown;
  #stop: (reason: unknown) => void = () => {};

  constructor({ peer, hosts = [], https = false, pass = () => {}, timeoutMs }: RpcServerCallOptions) {
    this.peer = peer;
    this.hosts = hosts;
    this.https = https;
    this.pass = pass;
    this.#timeoutMs = timeoutMs;
  }

  /** Time until the deadline, whole ms, at least 0. */
  get remainingMs(): number {
    if (this.#tracked === undefined) return Math.floor(this.#timeoutMs);
    const { clock, startedMs } = this.#tracked;
    return Math.max(0, Math.floor(startedMs + this.#timeoutMs - clock.monotonic()));
  }

  /**
   * Tracks the call from its headers to its end. Every Connect handler aborts its context at the end of a call, with
   * the error if there is one, before it serializes the error. Replacing `abort` is therefore the one place where all
   * errors can be observed and corrected.
   */
  track(context: HandlerContext, clock: Clock, onComplete: (completed: CompletedRpc) => void): void {
    const { abort } = context as { abort?: (reason: unknown) => void };
    if (abort === undefined) throw new Error("this version of @connectrpc/connect has no `abort` on handler contexts");
    const expire = (): void => this.#end(new ConnectError("the operation timed out", Code.DeadlineExceeded));
    const cancelDeadline = this.#timeoutMs > 0 ? clock.after(this.#timeoutMs, expire) : () => {};
    this.#tracked = { context, abort, onComplete, clock, startedMs: clock.monotonic(), cancelDeadline };
    const finish = (reason?: unknown): void => this.#finish(reason);
    Object.assign(context, { abort: finish });
    if (this.#timeoutMs <= 0)
      this.#end(new ConnectError("the call arrived after its deadline and was not executed", Code.DeadlineExceeded));
  }

  /** Ends the call as canceled, unless it has ended. */
  callerDisconnected(): void {
    // Most disconnects follow the response; capturing an error's stack for them would be wasted.
    if (!this.#ended) this.#end(new ConnectError("the caller disconnected", Code.Canceled));
  }

  /** Ends the call as unavailable, unless it has ended: the server stops before the call's deadline. */
  serverStopping(): void {
    if (!this.#ended) this.#end(new ConnectError("the server is stopping", Code.Unavailable));
  }

  /** Registers `stop` for a deadline or disconnect; calls it at once if the call has ended. Replaces an earlier one. */
  onAbort(stop: (reason: unknown) => void): void {
    this.#stop = stop;
    if (this.#ended) stop(this.#reason);
  }

  /** Runs the implementation. Settles with it, or rejects earlier at the deadline or when the caller disconnects. */
  callHandler<T>(run: () => Promise<T>): Promise<T> {
    this.#handlerCalled = true;
    return new Promise((resolve, reject) => {
      this.onAbort(reject);
      if (!this.#ended) run().then(resolve, reject);
    });
  }

  #end(reason: ConnectError): void {
    this.#finish(reason);
    this.#stop(reason);
  }

  #finish(reason: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#reason = reason;
    if (this.#tracked === undefined) return;
    const { context, abort, onComplete, clock, startedMs, cancelDeadline } = this.#tracked;
    cancelDeadline();
    const error = reason === undefined ? undefined : ConnectError.from(reason, Code.Internal);
    // An internal error of the library before the implementation was called is caused by a malformed request.
    if (error !== undefined && error === reason && error.code === Code.Internal && !this.#handlerCalled)
      Object.assign(error, { code: Code.InvalidArgument });
    if (error !== undefined) abort(error);
    onComplete({ context, error, elapsedMs: clock.monotonic() - startedMs, handlerCalled: this.#handlerCalled });
  }
}

export const rpcServerCallKey = createContextKey<RpcServerCall | undefined>(undefined, { description: "RPC call" });

/** The address of an RPC's caller; empty when unknown. */
export const rpcPeer = (values: ContextValues): string => values.get(rpcServerCallKey)?.peer ?? "";

/** Hosts and ports that an RPC's caller addressed, also those that trusted proxies report; empty when unknown. */
export const rpcHosts = (values: ContextValues): readonly string[] => values.get(rpcServerCallKey)?.hosts ?? [];

/** [PT26] Lets another request of the caller begin, because what is left to do for an RPC is done elsewhere. */
export const passRpc = (values: ContextValues): void => values.get(rpcServerCallKey)?.pass();

/** True when a trusted proxy reports that an RPC's caller used https. */
export const isHttpsRpc = (values: ContextValues): boolean => values.get(rpcServerCallKey)?.https ?? false;

/** Time until an RPC's deadline, whole ms, at least 0; undefined when the call has none. */
export const remainingRpcMs = (values: ContextValues): number | undefined => values.get(rpcServerCallKey)?.remainingMs;

/**
 * Outermost interceptor. Ends a call at its deadline even when its implementation does not return, and turns any error
 * that is not a ConnectError (a bug) into `internal` without its text.
 */
export const rpcGuardInterceptor: Interceptor = (next) => async (request) => {
  try {
    const call = request.contextValues.get(rpcServerCallKey);
    return await (call === undefined ? next(request) : call.callHandler(() => next(request)));
  } catch (error) {
    throw error instanceof ConnectError
      ? error
      : new ConnectError("internal error", Code.Internal, undefined, undefined, error);
  }
};
