import {
  Code,
  ConnectError,
  type ContextValues,
  createContextKey,
  type HandlerContext,
  type Interceptor,
} from "@connectrpc/connect";
import type { Clock } from "../words/clock.ts";

/** What the door knows of one call besides its message. */
export type RpcCall = {
  /** The caller's address, as trusted proxies report it. */
  readonly peer: string;
  /** Set as soon as the protocol has one: aborts with the call's deadline, its end or its caller's going. */
  signal: AbortSignal | undefined;
  /** Whether the request was read and parsed, so that the implementation was asked. */
  reached: boolean;
};

export type EndedRpc = {
  readonly context: HandlerContext;
  /** Undefined where the call succeeded. */
  readonly error: ConnectError | undefined;
  readonly elapsedMs: number;
  /** See RpcCall. */
  readonly reached: boolean;
};

export const rpcCallKey = createContextKey<RpcCall>(
  { peer: "", signal: undefined, reached: false },
  { description: "the door's call" },
);

/** The address of a call's caller. */
export const peerOfCall = (values: ContextValues): string => values.get(rpcCallKey).peer;

/**
 * Follows a call from its headers to its end, whatever ends it: a gate, a body that cannot be read, its
 * implementation, its deadline, its caller. Each handler of Connect aborts its context with the error before it turns
 * that into bytes, which makes the abort the one place that sees all of them and can still set them right.
 */
export function followCall(context: HandlerContext, clock: Clock, tell: (ended: EndedRpc) => void): void {
  const call = context.values.get(rpcCallKey);
  const startedMs = clock.monotonic();
  endWithoutStack(context);
  call.signal = context.signal;
  if (context.signal.aborted) end();
  else context.signal.addEventListener("abort", end, { once: true });

  function end(): void {
    const { reason } = context.signal;
    const error = isPlainAbort(reason) ? undefined : ConnectError.from(reason, Code.Internal);
    // What fails inside the library before anything of ours was asked is the fault of the request.
    if (error === reason && error?.code === Code.Internal && !call.reached) {
      Object.assign(error, { code: Code.InvalidArgument });
    }
    tell({ context, error, elapsedMs: clock.monotonic() - startedMs, reached: call.reached });
  }
}

const finished = new DOMException("the call has ended", "AbortError");

/** A call that succeeds is ended by an abort without a reason, for which the runtime would make an error with a stack. */
function endWithoutStack(context: HandlerContext & { abort?: (reason?: unknown) => void }): void {
  const { abort } = context;
  if (abort === undefined) return;
  // Named first: a function that is written where it is assigned is old from birth, with all that it knows.
  const end = (reason: unknown = finished): void => abort(reason);
  context.abort = end;
}

/** A finished call aborts its context without a reason. */
const isPlainAbort = (reason: unknown): boolean => reason instanceof DOMException && reason.name === "AbortError";

/**
 * The outermost interceptor. Ends a call at its deadline even where its implementation does not; and has an error
 * that is no ConnectError, which is a bug, answered as `internal` without its text.
 */
export const guardCall: Interceptor = (next) => async (request) => {
  request.contextValues.get(rpcCallKey).reached = true;
  request.signal.throwIfAborted();
  try {
    return await orAborted(next(request), request.signal);
  } catch (error) {
    throw error instanceof ConnectError
      ? error
      : new ConnectError("internal error", Code.Internal, undefined, undefined, error);
  }
};

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
