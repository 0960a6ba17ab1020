import {
  Code,
  ConnectError,
  type ContextValues,
  createContextKey,
  type HandlerContext,
  type Interceptor,
} from "@connectrpc/connect";
import type { Clock } from "../../model/clock.ts";

export type CompletedRpc = {
  readonly context: HandlerContext;
  /** Undefined where the call succeeded. */
  readonly error: ConnectError | undefined;
  readonly elapsedMs: number;
  /** Whether the request was read and parsed, so that the implementation was asked. */
  readonly handlerCalled: boolean;
};

export type RpcServerCallOptions = {
  /** The caller's address, as trusted proxies report it. */
  readonly peer: string;
  /** What the call may take, ms: the caller's word or ours, whichever is less. */
  readonly timeoutMs: number;
};

/** What a call knows from its headers on. */
type Tracked = {
  readonly context: HandlerContext;
  /** Turns the context's signal. */
  readonly abort: (reason: unknown) => void;
  readonly onComplete: (ended: CompletedRpc) => void;
  readonly clock: Clock;
  readonly startedMs: number;
  readonly cancelDeadline: () => void;
};

/**
 * What the door knows of one call besides its message, and what ends it: a gate, a body that cannot be read, its
 * implementation, its deadline, its caller. Its context's signal aborts with an error only: that a call has succeeded
 * wakes nobody.
 */
export class RpcServerCall {
  readonly peer: string;
  readonly #timeoutMs: number;
  #followed: Tracked | undefined;
  #reached = false;
  #ended = false;
  #reason: unknown;
  #stop: (reason: unknown) => void = () => {};

  constructor({ peer, timeoutMs }: RpcServerCallOptions) {
    this.peer = peer;
    this.#timeoutMs = timeoutMs;
  }

  /** What is left of the call's time, whole ms, at least 0. */
  get remainingMs(): number {
    if (this.#followed === undefined) return Math.floor(this.#timeoutMs);
    const { clock, startedMs } = this.#followed;
    return Math.max(0, Math.floor(startedMs + this.#timeoutMs - clock.monotonic()));
  }

  /**
   * Follows the call from its headers to its end. Each handler of Connect aborts its context at the end of a call,
   * with the error before it turns that into bytes: this is the one place that sees all of them and can still set them
   * right.
   */
  track(context: HandlerContext, clock: Clock, onComplete: (completed: CompletedRpc) => void): void {
    const { abort } = context as { abort?: (reason: unknown) => void };
    if (abort === undefined) throw new Error("contexts of this version of @connectrpc/connect have no end");
    const expire = (): void => this.#end(new ConnectError("the operation timed out", Code.DeadlineExceeded));
    const cancelDeadline = this.#timeoutMs > 0 ? clock.after(this.#timeoutMs, expire) : () => {};
    this.#followed = { context, abort, onComplete, clock, startedMs: clock.monotonic(), cancelDeadline };
    const finish = (reason?: unknown): void => this.#finish(reason);
    Object.assign(context, { abort: finish });
    if (this.#timeoutMs <= 0) expire();
  }

  /** Nobody waits for the answer any more: ends the call, if it has not ended. */
  callerDisconnected(): void {
    // An error costs its stack, and most callers go after their answer.
    if (!this.#ended) this.#end(new ConnectError("the caller went away", Code.Canceled));
  }

  /** Has `stop` called when the call is ended from outside; at once where it was. The last one counts. */
  onAbort(stop: (reason: unknown) => void): void {
    this.#stop = stop;
    if (this.#ended) stop(this.#reason);
  }

  /** Runs the implementation; settles as it does, or rejects when the call is ended from outside. */
  callHandler<T>(run: () => Promise<T>): Promise<T> {
    this.#reached = true;
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
    if (this.#followed === undefined) return;
    const { context, abort, onComplete, clock, startedMs, cancelDeadline } = this.#followed;
    cancelDeadline();
    const error = reason === undefined ? undefined : ConnectError.from(reason, Code.Internal);
    // What fails inside the library before anything of ours was asked is the fault of the request.
    if (error !== undefined && error === reason && error.code === Code.Internal && !this.#reached)
      Object.assign(error, { code: Code.InvalidArgument });
    if (error !== undefined) abort(error);
    onComplete({ context, error, elapsedMs: clock.monotonic() - startedMs, handlerCalled: this.#reached });
  }
}

export const rpcServerCallKey = createContextKey<RpcServerCall | undefined>(undefined, { description: "the door's call" });

/** The address of a call's caller. */
export const rpcPeer = (values: ContextValues): string => values.get(rpcServerCallKey)?.peer ?? "";

/** What is left of a call's time, whole ms, at least 0; undefined where nothing bounds it. */
export const remainingRpcMs = (values: ContextValues): number | undefined => values.get(rpcServerCallKey)?.remainingMs;

/**
 * The outermost interceptor. Ends a call at its deadline even where its implementation does not; and has an error
 * that is no ConnectError, which is a bug, answered as `internal` without its text.
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
