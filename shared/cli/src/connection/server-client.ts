import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { create, fromJson, toJson } from "@bufbuild/protobuf";
import { ConnectError, type Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { AdminService } from "@realmwatch/proto/svc/v1/admin_pb";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { type GetServerInfoResponse, QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { RealmAdminService, RealmCommandService } from "@realmwatch/proto/svc/v1/realm_pb";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { type CommandFailure, wrongUsage } from "../output/command-failure.ts";
import type { ConnectionFlags } from "./connection-flags.ts";
import { rpcFailure } from "./rpc-failure.ts";

type Method<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage> = DescMethodUnary<I, O>;
type Answered<M extends Method> = Result<MessageShape<M["output"]>, RpcFailure>;
/** A failure with the error behind it, for those who look for details. */
export type RpcFailure = CommandFailure & { readonly cause?: ConnectError };

type Query = typeof QueryService.method;
type Commands = typeof CommandService.method;
type Admin = typeof AdminService.method;
/** The methods that exist on an agent and, forwarded, on an aggregator. */
type Forwarded<M> = {
  readonly [K in keyof M]: Method;
};

/** The server as commands see it. Nothing here throws: what fails is a value with the lines to print. */
export type ServerClient = {
  readonly url: string;
  /** Asked once. */
  info(): Promise<Result<GetServerInfoResponse, CommandFailure>>;
  /** The realm to narrow a read to; empty for all. */
  readonly realm: string;
  query<K extends keyof Query>(name: K, request: MessageInitShape<Query[K]["input"]>): Promise<Answered<Query[K]>>;
  /** Sends a command to the agent asked, or through an aggregator to `-target-realm`. The author is filled in. */
  command<K extends keyof Commands>(
    name: K,
    request: MessageInitShape<Commands[K]["input"]>,
  ): Promise<Answered<Commands[K]>>;
  /** As `command`, for configuration. */
  admin<K extends keyof Admin>(name: K, request: MessageInitShape<Admin[K]["input"]>): Promise<Answered<Admin[K]>>;
};

/** What a read or a command may take, and what configuration may, which is evaluated. ms */
const limits = { usualMs: 30_000, configurationMs: 120_000 } as const;

export type ServerClientOptions = {
  readonly flags: Pick<ConnectionFlags, "server" | "token" | "targetRealm" | "author">;
  /** Who runs this program on this machine. */
  readonly loginName: () => string;
};

export function openServerClient({ flags, loginName }: ServerClientOptions): ServerClient {
  const { server: url, token, targetRealm } = flags;
  const transport = createConnectTransport({ baseUrl: url, httpVersion: "1.1" });
  const header = token === undefined ? {} : { authorization: `Bearer ${token.reveal()}` };
  const call = <M extends Method>(method: M, request: Fields, timeoutMs: number): Promise<Answered<M>> =>
    callOnce({ transport, url, header, timeoutMs }, method, request);

  let asked: Promise<Result<GetServerInfoResponse, CommandFailure>> | undefined;
  const info = (): Promise<Result<GetServerInfoResponse, CommandFailure>> => {
    asked ??= call(QueryService.method.getServerInfo, {}, limits.usualMs);
    return asked;
  };

  /** Calls the method itself on an agent, its twin with the realm's name on an aggregator. */
  async function callRealm<M extends Method>(method: M, twin: Method, { request, timeoutMs }: RealmCall) {
    const known = await info();
    if (!known.ok) return known;
    const author = flags.author ?? (known.value.authEnabled === true ? "" : loginName());
    const signed = method.input.fields.some(({ name }) => name === "author") ? { ...request, author } : request;
    if (known.value.aggregator !== true) {
      const strayed = strayedFrom(known.value.realm, targetRealm);
      return strayed === undefined ? call(method, signed, timeoutMs) : wrongUsage(`${url} ${strayed}`);
    }
    if (targetRealm === undefined && method === ownOfAggregator) return call(method, signed, timeoutMs);
    if (targetRealm === undefined) return wrongUsage(await needOfRealm());
    const answer = await call(twin, { realm: targetRealm, request: create(method.input, signed) }, timeoutMs);
    // A twin's response has the fields of the realm's own.
    return answer.ok
      ? ok(fromJson(method.output, toJson(twin.output, answer.value)) as MessageShape<M["output"]>)
      : answer;
  }

  async function needOfRealm(): Promise<string> {
    const status = await call(QueryService.method.listStatus, { pageSize: 1 }, limits.usualMs);
    const names = status.ok
      ? status.value.realms
          .map(({ name }) => name)
          .sort()
          .join(", ")
      : "";
    return `${url} is an aggregator: -target-realm is needed${names === "" ? "" : `, one of ${names}`}`;
  }

  return {
    url,
    realm: targetRealm ?? "",
    info,
    query: (name, request) => call(QueryService.method[name], request, limits.usualMs),
    command: (name, request) =>
      callRealm(CommandService.method[name], twinOf(RealmCommandService.method, name), {
        request,
        timeoutMs: limits.usualMs,
      }),
    admin: (name, request) =>
      callRealm(AdminService.method[name], twinOf(RealmAdminService.method, name), {
        request,
        timeoutMs: limits.configurationMs,
      }),
  };
}

/** What an aggregator answers of itself where no realm is named. */
const ownOfAggregator: Method = AdminService.method.listAuditRecords;

/** A request's fields, as `create` takes them. */
type Fields = Record<string, unknown>;
type RealmCall = { readonly request: Fields; readonly timeoutMs: number };

const twinOf = <T extends Forwarded<T>>(methods: T, name: keyof T): Method => methods[name];

/** What is wrong with asking this agent on behalf of that realm; undefined where nothing is. */
const strayedFrom = (own: string, wanted: string | undefined): string | undefined =>
  wanted === undefined || wanted === own
    ? undefined
    : `is the agent of realm ${JSON.stringify(own)}, not of ${JSON.stringify(wanted)}`;

type Line = {
  readonly transport: Transport;
  readonly url: string;
  readonly header: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
};

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
