import { createContextKey, type HandlerContext } from "@connectrpc/connect";
import type { Identity } from "../../model/role.ts";

/** The caller of an RPC. */
export type Caller = {
  /** Undefined when callers are not authenticated, or when the call needs no identity and has none. */
  readonly identity: Identity | undefined;
  /** Network address, as trusted proxies report it. */
  readonly peer: string;
  /** Identifies the call in logs and audit records, also in the realm to which it is forwarded. */
  readonly requestId: string;
};

export const callerKey = createContextKey<Caller>(
  { identity: undefined, peer: "", requestId: "" },
  { description: "caller" },
);

export const callerOf = (context: Pick<HandlerContext, "values">): Caller => context.values.get(callerKey);
