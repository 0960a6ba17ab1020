import type { DescMessage, DescMethodUnary, MessageShape } from "@bufbuild/protobuf";
import { create } from "@bufbuild/protobuf";
import { ConnectError, type Transport } from "@connectrpc/connect";
import { AdminService } from "@realmwatch/proto/svc/v1/admin_pb";
import { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { Role } from "@realmwatch/proto/svc/v1/common_pb";
import { RealmAdminService, RealmBulkService, RealmCommandService } from "@realmwatch/proto/svc/v1/realm_pb";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { type CliFailure, commandFailed } from "../output/cli-failure.ts";
import { isLostConnection, rpcFailure } from "./rpc-failure.ts";

export type Method<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage> = DescMethodUnary<I, O>;
export type Answered<M extends Method> = Result<MessageShape<M["output"]>, RpcFailure>;
/** Failed call, with the error that has the details of the response. */
export type RpcFailure = CliFailure & { readonly cause?: ConnectError };

/** CallFields of a request, as `create` takes them. */
export type CallFields = Record<string, unknown>;

/** Session that has begun. `cookie`: value of the `Cookie` header. */
export type NewSession = {
  readonly name: string;
  readonly role: string;
  readonly cookie: string;
  readonly maxAgeMs: number;
};

/** Timeouts of calls, ms. Configuration calls take longer, because the server evaluates the document. */
const timeouts = { usualMs: 30_000, configurationMs: 120_000 } as const;

export type Line = {
  readonly transport: Transport;
  readonly url: string;
  readonly header: Readonly<Record<string, string>>;
};

/** Services whose calls carry an idempotency key. */
export const commandServices: ReadonlySet<string> = new Set([
  CommandService.typeName,
  RealmCommandService.typeName,
  RealmBulkService.typeName,
]);

/** Services whose calls may load a document. */
const configurationServices: ReadonlySet<string> = new Set([AdminService.typeName, RealmAdminService.typeName]);

/** [FD31] Calls with an idempotency key, and once more with the same key when the connection was lost. */
export async function callRepeatable<M extends Method>(
  line: Line,
  method: M,
  request: CallFields,
): Promise<Result<WithHeader<M>, RpcFailure>> {
  const answer = await callWithHeader(line, method, request);
  const isLost = !answer.ok && answer.error.cause !== undefined && isLostConnection(answer.error.cause);
  return isLost ? callWithHeader(line, method, request) : answer;
}

export async function callOnce<M extends Method>(
  line: Line,
  method: M,
  request: CallFields,
  signal?: AbortSignal,
): Promise<Answered<M>> {
  const answer = await callWithHeader(line, method, request, signal);
  return answer.ok ? ok(answer.value.message) : answer;
}

export async function logIn(line: Line, request: CallFields): Promise<Result<NewSession, CliFailure>> {
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
  request: CallFields,
  signal?: AbortSignal,
): Promise<Result<WithHeader<M>, RpcFailure>> {
  const { transport, url, header } = line;
  const timeoutMs = configurationServices.has(method.parent.typeName) ? timeouts.configurationMs : timeouts.usualMs;
  try {
    const answer = await transport.unary(method, signal, timeoutMs, header, create(method.input, request));
    return ok({ message: answer.message as MessageShape<M["output"]>, header: answer.header });
  } catch (error) {
    const cause = ConnectError.from(error);
    const service = method.parent.name;
    return fail({ ...rpcFailure(cause, { server: url, service, timeoutMs }), cause });
  }
}
