import { create, type DescMethodUnary, type Message } from "@bufbuild/protobuf";
import { ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import type { ExecuteRequest, RealmBulkService } from "@realmwatch/proto/svc/v1/realm_pb";
import { callerOf } from "@realmwatch/shared/api/access/caller";
import { toConnectError } from "@realmwatch/shared/api/rpc/refusal-to-code";
import { parseIdempotencyKey } from "@realmwatch/shared/model/idempotency-key";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { remainingRpcMs } from "@realmwatch/shared/platform/rpc/server-call";
import type { ReadModel } from "@realmwatch/shared/read-model/read-model";
import { formatSelectorError, parseSelector, type Selector } from "@realmwatch/shared/text/selector/selector";
import type { Forwarder } from "../forward/forwarder.ts";
import { forwardedKey, sentKey } from "./forwarded-key.ts";
import { withAuthor } from "./forwarding-service.ts";
import { type MatchingRealm, selectRealms } from "./select-realms.ts";

export type BulkOptions = {
  readonly forwarder: () => Forwarder;
  readonly model: Pick<ReadModel, "objects" | "realms">;
  /** Timeout for the answers of all realms, ms; a shorter deadline of the caller applies. */
  readonly timeoutMs: number;
  readonly mintKey: () => string;
};

/** RealmBulkService: one command to every realm with a match, all at the same time and with one deadline. */
export const bulkService = (options: BulkOptions): ServiceImpl<typeof RealmBulkService> => ({
  async execute(request, context) {
    const method = requireMethod(request.command.case);
    const key = keyOf(request, context) ?? options.mintKey();
    const realms = request.objects.length > 0 ? listedRealms(request) : await matchingRealms(options.model, request);
    const timeoutMs = timeoutFor(context, options.timeoutMs);
    const command: BulkCommand = { method, request: request.command.value as Message, key, timeoutMs, context };
    return { results: await Promise.all(realms.map((realm) => resultOf(options.forwarder(), realm, command))) };
  },
});

type BulkCommand = {
  readonly method: DescMethodUnary;
  readonly request: Message;
  readonly key: string;
  readonly timeoutMs: number;
  readonly context: HandlerContext;
};

/** [FD30] Sends the command to one realm; the realm's refusal, or a missing answer, is a result too. */
async function resultOf(forwarder: Forwarder, { name, matched, target }: MatchingRealm, command: BulkCommand) {
  const { method, request, key, timeoutMs, context } = command;
  const { identity, requestId } = callerOf(context);
  const message = create(method.input, { ...withoutType(request), target: { target } });
  const result = await forwarder.forward(name, {
    method,
    message: withAuthor(method, message, identity?.name),
    requestId,
    idempotencyKey: forwardedKey(context, `${key}:${name}`),
    timeoutMs,
    signal: context.signal,
  });
  if (result.ok) {
    const { downtimeIds = [] } = result.value.message as { downtimeIds?: string[] };
    return { realm: name, matched: result.value.matched ?? matched, code: "", message: "", downtimeIds };
  }
  const error = result.error instanceof ConnectError ? result.error : toConnectError(result.error);
  return { realm: name, matched, code: codeToString(error.code), message: error.rawMessage, downtimeIds: [] };
}

/** Fields of a message, for a copy. */
function withoutType({ $typeName: _, $unknown: __, ...fields }: Message): Record<string, unknown> {
  return fields;
}

const malformed = (field: string, why: string): ConnectError =>
  toConnectError({ kind: "malformed", field, why } satisfies Refusal);

/** [CM2] Realms of the listed objects, each with its own objects. */
function listedRealms({ selector, objects }: ExecuteRequest): readonly MatchingRealm[] {
  if (selector !== "") throw malformed("objects", "cannot be given with selector");
  const names = objects.map(({ realm }) => realm);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw malformed("objects", `names the realm ${JSON.stringify(twice)} twice`);
  return objects.map(({ realm, objects: own }) => ({
    name: realm,
    matched: own.length,
    target: { case: "objects", value: { objects: own } },
  }));
}

async function matchingRealms(
  model: BulkOptions["model"],
  { selector: text }: ExecuteRequest,
): Promise<readonly MatchingRealm[]> {
  const realms = await selectRealms(model, requireSelector(text));
  if (!realms.ok) throw toConnectError(realms.error);
  if (realms.value.length > 0) return realms.value;
  throw toConnectError({ kind: "missing", what: `an object that ${JSON.stringify(text)} selects` });
}

function requireSelector(text: string): Selector {
  const selector = parseSelector(text);
  if (!selector.ok) throw malformed("selector", formatSelectorError(selector.error));
  return selector.value;
}

function requireMethod(name: ExecuteRequest["command"]["case"]): DescMethodUnary {
  if (name === undefined) throw malformed("command", "is required");
  return CommandService.method[name];
}

/** Key of the call, of which each realm gets its own; undefined when the caller sent none. */
function keyOf({ requestId }: ExecuteRequest, context: HandlerContext): string | undefined {
  if (requestId === "") return sentKey(context);
  if (!parseIdempotencyKey(requestId).ok) throw malformed("requestId", "must have 1 to 128 printable ASCII characters");
  return requestId;
}

/** Time for the realms, ms: some is left to report the realms that have not answered by then. */
export function timeoutFor(context: HandlerContext, limitMs: number): number {
  const leftMs = remainingRpcMs(context.values) ?? limitMs;
  return Math.min(limitMs, Math.max(leftMs / 2, leftMs - 500));
}
