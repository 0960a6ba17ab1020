import {
  create,
  type DescMessage,
  type DescMethodUnary,
  type DescService,
  fromBinary,
  type Message,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import { callerOf } from "@realmwatch/shared/api/access/caller";
import { toConnectError } from "@realmwatch/shared/api/rpc/refusal-to-code";
import { remainingRpcMs } from "@realmwatch/shared/platform/rpc/server-call";
import type { Forwarder } from "../forward/forwarder.ts";

export type ForwardingOptions = {
  /** Asked at each call, because a reload swaps it. */
  readonly forwarder: () => Forwarder;
  /** How long a realm's answer is waited for, ms; a caller's shorter deadline wins. */
  readonly timeoutMs: number;
  /** Why no command can be taken now; undefined where they can. */
  readonly unavailableReason: () => string | undefined;
};

/** A request of such a service: the realm, and the request of its own API. */
type Wrapped = { readonly realm: string; readonly request?: Message };
type Handler = (request: Wrapped, context: HandlerContext) => Promise<Message>;

/**
 * A service of the realms behind one door. All RPCs are alike: the inner request goes to the realm named, and
 * its response comes back in a message with the same fields.
 *
 * @param outer what is served here: its methods have the names of `inner`'s and wrap their requests
 */
export function forwardingService<Outer extends DescService>(
  outer: Outer,
  inner: DescService,
  parts: ForwardingOptions,
): ServiceImpl<Outer> {
  const handlers = outer.methods.map((served): [string, Handler] => {
    const method = inner.methods.find(({ name }) => name === served.name);
    if (method?.methodKind !== "unary") throw new TypeError(`${inner.typeName} has no ${served.name} to forward to`);
    return [
      served.localName,
      (request, context) => forward(method as DescMethodUnary, served.output, { parts, request, context }),
    ];
  });
  return Object.fromEntries(handlers) as unknown as ServiceImpl<Outer>;
}

type Call = { readonly parts: ForwardingOptions; readonly request: Wrapped; readonly context: HandlerContext };

async function forward(
  method: DescMethodUnary,
  output: DescMessage,
  { parts, request, context }: Call,
): Promise<Message> {
  const forwarder = parts.forwarder();
  if (!forwarder.hasRealm(request.realm))
    throw toConnectError({ kind: "missing", what: `realm ${JSON.stringify(request.realm)}` });
  const trouble = parts.unavailableReason();
  if (trouble !== undefined) throw toConnectError({ kind: "unavailable", what: trouble });
  const { identity, requestId } = callerOf(context);
  const result = await forwarder.forward(request.realm, {
    method,
    message: withAuthor(method, request.request ?? create(method.input), identity?.name),
    requestId,
    timeoutMs: Math.min(parts.timeoutMs, remainingRpcMs(context.values) ?? parts.timeoutMs),
    signal: context.signal,
  });
  if (!result.ok) throw result.error instanceof ConnectError ? result.error : toConnectError(result.error);
  return rewrap(result.value, method.output, output);
}

/** The request in the name of who is logged in here: what it said itself could be anybody's. */
function withAuthor<T extends Message>(method: DescMethodUnary, message: T, name: string | undefined): T {
  const hasAuthor = method.input.fields.some((field) => field.localName === "author");
  return name === undefined || !hasAuthor ? message : { ...message, author: name };
}

/** The same fields under another message's name. */
function rewrap(message: Message, from: DescMessage, to: DescMessage): Message {
  try {
    return fromBinary(to, toBinary(from, message as MessageShape<DescMessage>));
  } catch (error) {
    throw new ConnectError("the realm's answer cannot be passed on", Code.Internal, undefined, undefined, error);
  }
}
