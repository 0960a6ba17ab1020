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
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { auditedRpcOf } from "@realmwatch/shared/api/audit/audit-rpcs";
import { internalError, toConnectError } from "@realmwatch/shared/api/rpc/refusal-to-code";
import { matchedObjectsHeader } from "@realmwatch/shared/model/idempotency-key";
import { remainingRpcMs } from "@realmwatch/shared/platform/rpc/server-call";
import { type ForwardingOptions, forwardForCaller, sentKey } from "./forward-for-caller.ts";

/** Request of a forwarding service: the realm, and the request of the realm's own API. */
type Wrapped = { readonly realm: string; readonly request?: Message };
type Handler = (request: Wrapped, context: HandlerContext) => Promise<Message>;

/**
 * Implements a service that forwards to realms. Each RPC sends the inner request to the named realm and returns its
 * response in a message with the same fields.
 *
 * @param outer the served service; its methods have the same names as those of `inner` and wrap their requests
 */
export function forwardingService<Outer extends DescService>(
  outer: Outer,
  inner: DescService,
  options: ForwardingOptions,
): ServiceImpl<Outer> {
  const handlers = outer.methods.map((served): [string, Handler] => {
    const method = inner.methods.find(({ name }) => name === served.name);
    if (method?.methodKind !== "unary") throw new TypeError(`${inner.typeName} has no ${served.name} to forward to`);
    return [
      served.localName,
      (request, context) => forward(method as DescMethodUnary, served.output, { options, request, context }),
    ];
  });
  return Object.fromEntries(handlers) as unknown as ServiceImpl<Outer>;
}

type Call = { readonly options: ForwardingOptions; readonly request: Wrapped; readonly context: HandlerContext };

async function forward(
  method: DescMethodUnary,
  output: DescMessage,
  { options, request, context }: Call,
): Promise<Message> {
  const forwarder = options.forwarder();
  if (!forwarder.hasRealm(request.realm))
    throw toConnectError({ kind: "missing", what: `realm ${JSON.stringify(request.realm)}` });
  const key = sentKey(context) ?? options.mintKey();
  const message = request.request ?? create(method.input);
  const timeoutMs = Math.min(options.timeoutMs, remainingRpcMs(context.values) ?? options.timeoutMs);
  const result = await forwardForCaller(forwarder, request.realm, { method, message, key, timeoutMs, context });
  if (!result.ok) throw result.error;
  const audited = auditedRpcOf(context);
  if (audited !== undefined) audited.change = result.value.change;
  if (result.value.matched !== undefined) context.responseHeader.set(matchedObjectsHeader, `${result.value.matched}`);
  return rewrap(result.value.message, method.output, output);
}

/** Converts a message to another message type with the same fields. */
function rewrap(message: Message, from: DescMessage, to: DescMessage): Message {
  try {
    return fromBinary(to, toBinary(from, message as MessageShape<DescMessage>));
  } catch (error) {
    throw internalError("the realm's answer cannot be passed on", error);
  }
}
