import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { create, fromJson, toJson } from "@bufbuild/protobuf";
import { ConnectError, type Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { AdminService } from "@realmwatch/proto/svc/v1/admin_pb";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { type GetServerInfoResponse, QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { RealmAdminService, RealmCommandService } from "@realmwatch/proto/svc/v1/realm_pb";
import { idempotencyKeyHeader } from "@realmwatch/shared/model/idempotency-key";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { idGenerator } from "@realmwatch/shared/platform/id-generator";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { type CliFailure, wrongUsage } from "../output/cli-failure.ts";
import type { ConnectionFlags } from "./connection-flags.ts";
import { isLostConnection, rpcFailure } from "./rpc-failure.ts";

type Method<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage> = DescMethodUnary<I, O>;
type Answered<M extends Method> = Result<MessageShape<M["output"]>, RpcFailure>;
/** Failed call, with the error that has the details of the response. */
export type RpcFailure = CliFailure & { readonly cause?: ConnectError };

type Query = typeof QueryService.method;
type Commands = typeof CommandService.method;
type Admin = typeof AdminService.method;
/** Methods of an agent that an aggregator forwards. */
type Forwarded<M> = {
  readonly [K in keyof M]: Method;
};

/** Client of an agent or aggregator. Calls do not throw: a failure is a value with the lines to print. */
export type ServerClient = {
  readonly url: string;
  /** Identity and settings of the server; requested once. */
  info(): Promise<Result<GetServerInfoResponse, CliFailure>>;
  /** Realm that queries are limited to; empty for all. */
  readonly realm: string;
  query<K extends keyof Query>(name: K, request: MessageInitShape<Query[K]["input"]>): Promise<Answered<Query[K]>>;
  /** Sends a command to the agent, or through an aggregator to `-target-realm`. Adds the author. */
  command<K extends keyof Commands>(
    name: K,
    request: MessageInitShape<Commands[K]["input"]>,
  ): Promise<Answered<Commands[K]>>;
  /** Like `command`, for the administration calls. */
  admin<K extends keyof Admin>(name: K, request: MessageInitShape<Admin[K]["input"]>): Promise<Answered<Admin[K]>>;
};

/** Timeouts of calls, ms. Configuration calls take longer, because the server evaluates the document. */
const timeouts = { usualMs: 30_000, configurationMs: 120_000 } as const;

export type ServerClientOptions = {
  readonly flags: Pick<ConnectionFlags, "server" | "token" | "targetRealm" | "author">;
  /** Login name of the user of this program. */
  readonly loginName: () => string;
};

export function openServerClient({ flags, loginName }: ServerClientOptions): ServerClient {
  const { server: url, token, targetRealm } = flags;
  const transport = createConnectTransport({ baseUrl: url, httpVersion: "1.1" });
  const header = token === undefined ? {} : { authorization: `Bearer ${token.reveal()}` };
  const mintKey = idGenerator(systemClock);
  const call = <M extends Method>(method: M, request: Fields, timeoutMs: number): Promise<Answered<M>> =>
    commandServices.has(method.parent.typeName)
      ? callRepeatable(
          { transport, url, header: { ...header, [idempotencyKeyHeader]: mintKey() }, timeoutMs },
          method,
          request,
        )
      : callOnce({ transport, url, header, timeoutMs }, method, request);

  let serverInfo: Promise<Result<GetServerInfoResponse, CliFailure>> | undefined;
  const info = (): Promise<Result<GetServerInfoResponse, CliFailure>> => {
    serverInfo ??= call(QueryService.method.getServerInfo, {}, timeouts.usualMs);
    return serverInfo;
  };

  /** Calls the method on an agent, or the forwarding method with the realm's name on an aggregator. */
  async function callRealm<M extends Method>(method: M, forwarding: Method, { request, timeoutMs }: RealmCall) {
    const known = await info();
    if (!known.ok) return known;
    const author = flags.author ?? (known.value.authEnabled === true ? "" : loginName());
    const signed = method.input.fields.some(({ name }) => name === "author") ? { ...request, author } : request;
    if (known.value.aggregator !== true) {
      const mismatch = realmMismatch(known.value.realm, targetRealm);
      return mismatch === undefined ? call(method, signed, timeoutMs) : wrongUsage(`${url} ${mismatch}`);
    }
    if (targetRealm === undefined && method === aggregatorMethod) return call(method, signed, timeoutMs);
    if (targetRealm === undefined) return wrongUsage(await realmRequiredMessage());
    const answer = await call(forwarding, { realm: targetRealm, request: create(method.input, signed) }, timeoutMs);
    // The response of the forwarding method has the same fields.
    return answer.ok
      ? ok(fromJson(method.output, toJson(forwarding.output, answer.value)) as MessageShape<M["output"]>)
      : answer;
  }

  async function realmRequiredMessage(): Promise<string> {
    const status = await call(QueryService.method.listStatus, { pageSize: 1 }, timeouts.usualMs);
    const names = status.ok
      ? status.value.realms
          .map(({ name }) => name)
          .sort()
          .join(", ")
      : "";
    return `${url} is an aggregator: -target-realm is required${names === "" ? "" : `, one of ${names}`}`;
  }

  return {
    url,
    realm: targetRealm ?? "",
    info,
    query: (name, request) => call(QueryService.method[name], request, timeouts.usualMs),
    command: (name, request) =>
      callRealm(CommandService.method[name], forwardingMethod(RealmCommandService.method, name), {
        request,
        timeoutMs: timeouts.usualMs,
      }),
    admin: (name, request) =>
      callRealm(AdminService.method[name], forwardingMethod(RealmAdminService.method, name), {
        request,
        timeoutMs: timeouts.configurationMs,
      }),
  };
}

/** Method that an aggregator answers itself when no realm is given. */
const aggregatorMethod: Method = AdminService.method.listAuditRecords;

/** Fields of a request, as `create` takes them. */
type Fields = Record<string, unknown>;
type RealmCall = { readonly request: Fields; readonly timeoutMs: number };

const forwardingMethod = <T extends Forwarded<T>>(methods: T, name: keyof T): Method => methods[name];

/** Reason why this agent cannot execute a command for the realm; undefined when it can. */
const realmMismatch = (own: string, target: string | undefined): string | undefined =>
  target === undefined || target === own
    ? undefined
    : `is the agent of realm ${JSON.stringify(own)}, not of ${JSON.stringify(target)}`;

type Line = {
  readonly transport: Transport;
  readonly url: string;
  readonly header: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
};

/** Services whose calls carry an idempotency key. */
const commandServices: ReadonlySet<string> = new Set([CommandService.typeName, RealmCommandService.typeName]);

/** [FD31] Calls with an idempotency key, and once more with the same key when the connection was lost. */
async function callRepeatable<M extends Method>(line: Line, method: M, request: Fields): Promise<Answered<M>> {
  const answer = await callOnce(line, method, request);
  const isLost = !answer.ok && answer.error.cause !== undefined && isLostConnection(answer.error.cause);
  return isLost ? callOnce(line, method, request) : answer;
}

async function callOnce<M extends Method>(line: Line, method: M, request: Fields): Promise<Answered<M>> {
  const { transport, url, header, timeoutMs } = line;
  try {
    const answer = await transport.unary(method, undefined, timeoutMs, header, create(method.input, request));
    return ok(answer.message as MessageShape<M["output"]>);
  } catch (error) {
    const cause = ConnectError.from(error);
    const service = method.parent.name;
    return fail({ ...rpcFailure(cause, { server: url, service, timeoutMs }), cause });
  }
}
