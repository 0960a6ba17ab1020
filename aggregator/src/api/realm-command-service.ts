import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type Message,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { RealmCommandService } from "@realmwatch/proto/svc/v1/realm_pb";
import { callerOf } from "@realmwatch/shared/api/caller";
import { toConnectError } from "@realmwatch/shared/api/refusal-to-code";
import type { Forwarder } from "../forward/forwarder.ts";

export type RealmCommandParts = {
  /** Asked at each call, because a reload swaps it. */
  readonly forwarder: () => Forwarder;
  /** How long a realm's answer is waited for, ms; a caller's shorter deadline wins. */
  readonly timeoutMs: number;
  /** Why no command can be taken now; undefined where they can. */
  readonly trouble: () => string | undefined;
};

/** A request of RealmCommandService: the realm, and the request of its own API. */
type Wrapped = { readonly realm: string; readonly request?: Message };
type Handler = (request: Wrapped, context: HandlerContext) => Promise<Message>;

/**
 * The realms' CommandService behind one door. All RPCs are alike: the inner request goes to the realm named, and
 * its response comes back in a message with the same fields.
 */
export function realmCommandService(parts: RealmCommandParts): ServiceImpl<typeof RealmCommandService> {
  const handlers = RealmCommandService.methods.map((outer): [string, Handler] => {
    const inner = unaryMethods.find((method) => method.name === outer.name);
    if (inner === undefined) throw new TypeError(`CommandService has no ${outer.name}`);
    return [outer.localName, (request, context) => forward(inner, outer.output, { parts, request, context })];
  });
  return Object.fromEntries(handlers) as unknown as ServiceImpl<typeof RealmCommandService>;
}

const unaryMethods = CommandService.methods.filter(
  (method): method is typeof method & DescMethodUnary => method.methodKind === "unary",
);

type Call = { readonly parts: RealmCommandParts; readonly request: Wrapped; readonly context: HandlerContext };

async function forward(
  method: DescMethodUnary,
  output: DescMessage,
  { parts, request, context }: Call,
): Promise<Message> {
  const forwarder = parts.forwarder();
  if (!forwarder.knows(request.realm))
    throw toConnectError({ kind: "missing", what: `realm ${JSON.stringify(request.realm)}` });
  const trouble = parts.trouble();
  if (trouble !== undefined) throw toConnectError({ kind: "unavailable", what: trouble });
  const { identity, requestId } = callerOf(context);
  const result = await forwarder.forward(request.realm, {
    method,
    message: withAuthor(method, request.request ?? create(method.input), identity?.name),
    requestId,
    timeoutMs: Math.min(parts.timeoutMs, context.timeoutMs() ?? parts.timeoutMs),
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
