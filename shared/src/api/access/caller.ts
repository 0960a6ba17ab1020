import { createContextKey, type HandlerContext } from "@connectrpc/connect";
import type { Identity } from "../../model/role.ts";

/** Who calls an RPC. */
export type Caller = {
  /** Undefined where nothing authenticates callers, or where none is needed and none was given. */
  readonly identity: Identity | undefined;
  /** Network address, as trusted proxies report it. */
  readonly peer: string;
  /** Names this call in logs and audit records, here and in the realm that it is forwarded to. */
  readonly requestId: string;
};

export const callerKey = createContextKey<Caller>(
  { identity: undefined, peer: "", requestId: "" },
  { description: "caller" },
);

export const callerOf = (context: Pick<HandlerContext, "values">): Caller => context.values.get(callerKey);
