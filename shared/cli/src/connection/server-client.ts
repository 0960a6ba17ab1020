import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { create, fromJson, toJson } from "@bufbuild/protobuf";
import { ConnectError, type Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { AdminService } from "@realmwatch/proto/svc/v1/admin_pb";
import { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { Role, type Target } from "@realmwatch/proto/svc/v1/common_pb";
import { type GetServerInfoResponse, QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { RealmAdminService, RealmBulkService, RealmCommandService } from "@realmwatch/proto/svc/v1/realm_pb";
import { idempotencyKeyHeader } from "@realmwatch/shared/model/idempotency-key";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { idGenerator } from "@realmwatch/shared/platform/id-generator";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { type CliFailure, commandFailed, wrongUsage } from "../output/cli-failure.ts";
import { bulkRequest, bulkResult } from "./bulk-request.ts";
import type { ConnectionFlags } from "./connection-flags.ts";
import { realmDirectory } from "./realm-directory.ts";
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
  /**
   * Sends a command to the agent, or through an aggregator to `-target-realm`, else to the realm of the object, else for a
   * selection to all realms with a match. Adds the author.
   */
  command<K extends keyof Commands>(
    name: K,
    request: MessageInitShape<Commands[K]["input"]>,
  ): Promise<Answered<Commands[K]>>;
  /** Begins a session. */
  login(user: string, password: string): Promise<Result<NewSession, CliFailure>>;
  /** Ends the session of a cookie. */
  logout(cookie: string): Promise<Result<unknown, CliFailure>>;
  /** Like `command`, for the administration calls. */
  admin<K extends keyof Admin>(name: K, request: MessageInitShape<Admin[K]["input"]>): Promise<Answered<Admin[K]>>;
};

/** Session that has begun. `cookie`: value of the `Cookie` header. */
type NewSession = {
  readonly name: string;
  readonly role: string;
  readonly cookie: string;
  readonly maxAgeMs: number;
};

/** Timeouts of calls, ms. Configuration calls take longer, because the server evaluates the document. */
const timeouts = { usualMs: 30_000, configurationMs: 120_000 } as const;

type ServerClientOptions = {
  readonly flags: Pick<ConnectionFlags, "server" | "token" | "targetRealm" | "author">;
  /** Value of the `Cookie` header of a session at the server, which is sent unless there is a token. */
  readonly session?: string | undefined;
  /** Login name of the user of this program. */
  readonly loginName: () => string;
};

export function openServerClient({ flags, session, loginName }: ServerClientOptions): ServerClient {
  const { server: url, token, targetRealm } = flags;
  const transport = createConnectTransport({ baseUrl: url, httpVersion: "1.1" });
  const header = credentialsOf(token?.reveal(), session);
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

  const directory = realmDirectory({
    url,
    info,
    listStatus: (request) => call(QueryService.method.listStatus, request, timeouts.usualMs),
  });

  /** Calls the method on an agent, or the forwarding method with the realm's name on an aggregator. */
  async function callRealm<M extends Method>(method: M, forwarding: Method, { request, timeoutMs }: RealmCall) {
    const known = await info();
    if (!known.ok) return known;
    const author = flags.author ?? (known.value.authEnabled === true ? "" : loginName());
    const signed = method.input.fields.some(({ name }) => name === "author") ? { ...request, author } : request;
    if (known.value.aggregator !== true) {
      const mismatch = realmMismatch(known.value.realm, targetRealm);
      return mismatch === undefined ? call(method, signed, timeoutMs) : commandFailed(`${url} ${mismatch}`);
    }
    if (targetRealm === undefined && method === aggregatorMethod) return call(method, signed, timeoutMs);
    if (targetRealm !== undefined) {
      const exists = await directory.check(targetRealm);
      if (!exists.ok) return exists;
    }
    const { target } = request;
    if (targetRealm === undefined && isSelector(target)) return callEverywhere(method, target.target.value, signed);
    const realm = targetRealm === undefined ? await realmOf(request) : ok(targetRealm);
    if (!realm.ok) return realm;
    const answer = await call(forwarding, { realm: realm.value, request: create(method.input, signed) }, timeoutMs);
    // The response of the forwarding method has the same fields.
    return answer.ok
      ? ok(fromJson(method.output, toJson(forwarding.output, answer.value)) as MessageShape<M["output"]>)
      : answer;
  }

  /** Sends a command on a selection to every realm of an aggregator that has a match. */
  async function callEverywhere<M extends Method>(method: M, selector: string, fields: Fields): Promise<Answered<M>> {
    const request = bulkRequest(method.localName, { selector, requestId: mintKey(), fields });
    if (request === undefined) return wrongUsage(`${method.localName} does not take a selection`);
    const answer = await call(RealmBulkService.method.execute, request, timeouts.usualMs);
    if (!answer.ok) return answer;
    const result = bulkResult(answer.value);
    return result.ok
      ? ok(create(method.output, fieldsOf(method.output, result.value)) as MessageShape<M["output"]>)
      : result;
  }

  /** Realm that has the object, downtime or comment of a request to an aggregator. */
  async function realmOf({ target, downtimeId, commentId }: Fields): Promise<Result<string, CliFailure>> {
    if (isObject(target)) return directory.ofObject(target.target.value);
    if (typeof downtimeId === "string") return directory.ofAnnotation({ kind: "downtime", id: downtimeId });
    if (typeof commentId === "string") return directory.ofAnnotation({ kind: "comment", id: commentId });
    const names = await directory.names();
    const list = names.ok ? `, one of ${names.value.join(", ")}` : "";
    return wrongUsage(`${url} is an aggregator: -target-realm is required${list}`);
  }

  const authLine = { transport, url, timeoutMs: timeouts.usualMs };
  return {
    url,
    login: (user, password) => logIn({ ...authLine, header: {} }, { user, password }),
    logout: (cookie) => callOnce({ ...authLine, header: { cookie } }, AuthService.method.logout, {}),
    realm: targetRealm ?? "",
    info,
    async query(name, request) {
      const { realm } = request as Fields;
      const exists = typeof realm === "string" && realm !== "" ? await directory.check(realm) : ok(undefined);
      return exists.ok ? call(QueryService.method[name], request, timeouts.usualMs) : exists;
    },
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

/** Headers with the credentials; a token has precedence, because it was given for this call. */
function credentialsOf(token: string | undefined, session: string | undefined): Readonly<Record<string, string>> {
  if (token !== undefined) return { authorization: `Bearer ${token}` };
  return session === undefined ? {} : { cookie: session };
}

/** Method that an aggregator answers itself when no realm is given. */
const aggregatorMethod: Method = AdminService.method.listAuditRecords;

/** Fields of a request, as `create` takes them. */
type Fields = Record<string, unknown>;
type RealmCall = { readonly request: Fields; readonly timeoutMs: number };

const forwardingMethod = <T extends Forwarded<T>>(methods: T, name: keyof T): Method => methods[name];

type TargetOf<Case extends Target["target"]["case"]> = { readonly target: Extract<Target["target"], { case: Case }> };
const caseOf = (target: unknown): unknown => (target as Target | undefined)?.target.case;
const isSelector = (target: unknown): target is TargetOf<"selector"> => caseOf(target) === "selector";
const isObject = (target: unknown): target is TargetOf<"object"> => caseOf(target) === "object";

/** Values whose field the message has. */
const fieldsOf = ({ fields }: DescMessage, values: Fields): Fields =>
  Object.fromEntries(Object.entries(values).filter(([name]) => fields.some(({ localName }) => localName === name)));

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
const commandServices: ReadonlySet<string> = new Set([
  CommandService.typeName,
  RealmCommandService.typeName,
  RealmBulkService.typeName,
]);

/** [FD31] Calls with an idempotency key, and once more with the same key when the connection was lost. */
async function callRepeatable<M extends Method>(line: Line, method: M, request: Fields): Promise<Answered<M>> {
  const answer = await callOnce(line, method, request);
  const isLost = !answer.ok && answer.error.cause !== undefined && isLostConnection(answer.error.cause);
  return isLost ? callOnce(line, method, request) : answer;
}

async function callOnce<M extends Method>(line: Line, method: M, request: Fields): Promise<Answered<M>> {
  const answer = await callWithHeader(line, method, request);
  return answer.ok ? ok(answer.value.message) : answer;
}

async function logIn(line: Line, request: Fields): Promise<Result<NewSession, CliFailure>> {
  const answer = await callWithHeader(line, AuthService.method.login, request);
  if (!answer.ok) return answer;
  const { message, header } = answer.value;
  const [cookie = "", ...attributes] = header.getSetCookie()[0]?.split("; ") ?? [];
  const seconds = Number(attributes.find((text) => text.startsWith("Max-Age="))?.slice("Max-Age=".length));
  if (cookie === "" || !(seconds > 0)) return commandFailed(`${line.url} did not begin a session`);
  return ok({ name: message.name, role: roleNames[message.role] ?? "unknown", cookie, maxAgeMs: seconds * 1_000 });
}

const roleNames: Readonly<Record<number, string>> = {
  [Role.VIEWER]: "viewer",
  [Role.OPERATOR]: "operator",
  [Role.ADMIN]: "admin",
};

type WithHeader<M extends Method> = { readonly message: MessageShape<M["output"]>; readonly header: Headers };

async function callWithHeader<M extends Method>(
  line: Line,
  method: M,
  request: Fields,
): Promise<Result<WithHeader<M>, RpcFailure>> {
  const { transport, url, header, timeoutMs } = line;
  try {
    const answer = await transport.unary(method, undefined, timeoutMs, header, create(method.input, request));
    return ok({ message: answer.message as MessageShape<M["output"]>, header: answer.header });
  } catch (error) {
    const cause = ConnectError.from(error);
    const service = method.parent.name;
    return fail({ ...rpcFailure(cause, { server: url, service, timeoutMs }), cause });
  }
}
