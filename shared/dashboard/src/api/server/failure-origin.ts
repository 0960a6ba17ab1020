import type { Transport } from "@connectrpc/connect";

/** Call that failed. */
type FailureOrigin = {
  /** Service and method: `svc.v1.QueryService/ListStatus`. */
  readonly request: string;
  /** Time of the failure, Unix ms of this browser. */
  readonly atMs: number;
};

const origins = new WeakMap<object, FailureOrigin>();

/** Call that an error came from; undefined for an error of the page itself. */
export const failureOriginOf = (error: unknown): FailureOrigin | undefined =>
  typeof error === "object" && error !== null ? origins.get(error) : undefined;

/** Transport that remembers the call of each error as long as the error is in use. */
export const withFailureOrigins = (transport: Transport, now: () => number): Transport => ({
  async unary(method, ...rest) {
    try {
      return await transport.unary(method, ...rest);
    } catch (error) {
      if (typeof error === "object" && error !== null)
        origins.set(error, { request: `${method.parent.typeName}/${method.name}`, atMs: now() });
      throw error;
    }
  },
  stream: (...call) => transport.stream(...call),
});
