import type { DescMessage, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { create, fromJson, toJson } from "@bufbuild/protobuf";
import { createConnectTransport } from "@connectrpc/connect-node";
import { AdminService } from "@realmwatch/proto/svc/v1/admin_pb";
import { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import type { Target } from "@realmwatch/proto/svc/v1/common_pb";
import { PairService } from "@realmwatch/proto/svc/v1/pair_pb";
import { type GetServerInfoResponse, QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import {
  RealmAdminService,
  RealmBulkService,
  RealmCommandService,
  type RealmResult,
} from "@realmwatch/proto/svc/v1/realm_pb";
import { idempotencyKeyHeader, matchedObjectsHeader } from "@realmwatch/shared/model/idempotency-key";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { idGenerator } from "@realmwatch/shared/platform/id-generator";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { type CliFailure, commandFailed, wrongUsage } from "../output/cli-failure.ts";
import { maxAnswerBytes } from "./answer-text.ts";
import { bulkCounts, bulkRequest, type RealmCount } from "./bulk-request.ts";
import type { ConnectionFlags } from "./connection-flags.ts";
import { realmDirectory } from "./realm-directory.ts";
import {
  type Answered,
  type CallFields,
  callOnce,
  callRepeatable,
  commandServices,
  type Line,
  logIn,
  type Method,
  type NewSession,
  type RpcFailure,
} from "./server-call.ts";
import { readServerPage, type ServerPage } from "./server-page.ts";
import type { ClientTls } from "./tls-files.ts";

type Query = typeof QueryService.method;
type Commands = typeof CommandService.method;
type Admin = typeof AdminService.method;
/** Methods of an agent that an aggregator forwards. */
type Forwarded<M> = Readonly<Record<keyof M, Method>>;

/** Accepted command: its response, and the number of objects of each realm as far as the server says it. */
type Executed<M extends Method> = {
  readonly message: MessageShape<M["output"]>;
  readonly counts: readonly RealmCount[];
};

type ServerClientOptions = {
  readonly flags: Pick<ConnectionFlags, "server" | "token" | "targetRealm" | "author">;
  readonly tls?: ClientTls | undefined;
  /** Value of the `Cookie` header of a session at the server, which is sent unless there is a token. */
  readonly session?: string | undefined;
  /** Login name of the user of this program. */
  readonly loginName: () => string;
};

/** Client of an agent or aggregator. Calls do not throw: a failure is a value with the lines to print. */
export class ServerClient {
  readonly url: string;
  readonly #options: ServerClientOptions;
  readonly #line: Line;
  readonly #mintKey = idGenerator(systemClock);
  readonly #directory: ReturnType<typeof realmDirectory>;
  #info: Promise<Result<GetServerInfoResponse, CliFailure>> | undefined;

  constructor(options: ServerClientOptions) {
    const { flags, tls, session } = options;
    this.url = flags.server;
    this.#options = options;
    this.#line = {
      url: flags.server,
      header: credentialsOf(flags.token?.reveal(), session),
      transport: createConnectTransport({
        baseUrl: flags.server,
        httpVersion: "1.1",
        nodeOptions: { ...tls },
        readMaxBytes: maxAnswerBytes,
      }),
    };
    this.#directory = realmDirectory({
      url: flags.server,
      info: () => this.info(),
      listStatus: (request) => this.#call(QueryService.method.listStatus, request),
    });
  }

  /** Realm that queries are limited to; empty for all. */
  get realm(): string {
    return this.#options.flags.targetRealm ?? "";
  }

  /** Identity and settings of the server; requested once. */
  info(): Promise<Result<GetServerInfoResponse, CliFailure>> {
    this.#info ??= this.#call(QueryService.method.getServerInfo, {});
    return this.#info;
  }

  /** Requests a page of the server by its path. Rejects when there is no response within the time. */
  page(path: string, timeoutMs: number): Promise<ServerPage> {
    return readServerPage(this.url + path, { tls: this.#options.tls ?? {}, timeoutMs });
  }

  /** Begins a session. */
  login(user: string, password: string): Promise<Result<NewSession, CliFailure>> {
    return logIn({ ...this.#line, header: {} }, { user, password });
  }

  /** Ends the session of a cookie. */
  logout(cookie: string): Promise<Result<unknown, CliFailure>> {
    return callOnce({ ...this.#line, header: { cookie } }, AuthService.method.logout, {});
  }

  async query<K extends keyof Query>(
    name: K,
    request: MessageInitShape<Query[K]["input"]>,
    signal?: AbortSignal,
  ): Promise<Answered<Query[K]>> {
    const { realm } = request as CallFields;
    const exists = typeof realm === "string" && realm !== "" ? await this.#directory.check(realm) : ok(undefined);
    return exists.ok ? callOnce(this.#line, QueryService.method[name], request, signal) : exists;
  }

  /**
   * Sends a command to the agent, or through an aggregator to `-target-realm`, else to the realm of the object, else for a
   * selection to all realms with a match. A note without `-target-realm` is the aggregator's own. Adds the author.
   */
  async command<K extends keyof Commands>(
    name: K,
    request: MessageInitShape<Commands[K]["input"]>,
  ): Promise<Answered<Commands[K]>> {
    const executed = await this.execute(name, request);
    return executed.ok ? ok(executed.value.message) : executed;
  }

  /**
   * Like `command`, with the numbers of objects.
   *
   * @param realm realm of the request at an aggregator, where the caller knows it
   */
  execute<K extends keyof Commands>(
    name: K,
    request: MessageInitShape<Commands[K]["input"]>,
    realm?: string,
  ): Promise<Result<Executed<Commands[K]>, CliFailure>> {
    const methods = [CommandService.method[name], forwardingMethod(RealmCommandService.method, name)] as const;
    return this.#callRealm(...methods, { request, realm });
  }

  /** Returns a new id of a change. */
  mintId(): string {
    return this.#mintKey();
  }

  /** Like `command`, for the administration calls. */
  async admin<K extends keyof Admin>(
    name: K,
    request: MessageInitShape<Admin[K]["input"]>,
  ): Promise<Answered<Admin[K]>> {
    const methods = [AdminService.method[name], forwardingMethod(RealmAdminService.method, name)] as const;
    const executed = await this.#callRealm(...methods, { request, realm: undefined });
    return executed.ok ? ok(executed.value.message) : executed;
  }

  /** Calls a member of a pair; no call is repeated. */
  pair<K extends "get" | "switch" | "promote">(
    name: K,
    request: MessageInitShape<(typeof PairService.method)[K]["input"]>,
  ): Promise<Answered<(typeof PairService.method)[K]>> {
    return this.#call(PairService.method[name], request);
  }

  #call<M extends Method>(method: M, request: CallFields): Promise<Answered<M>> {
    return callOnce(this.#line, method, request);
  }

  /** Sends a call to one realm, a command with an idempotency key. */
  async #send<M extends Method>(
    method: M,
    request: CallFields,
    realm: string,
  ): Promise<Result<Executed<M>, RpcFailure>> {
    if (!commandServices.has(method.parent.typeName)) {
      const answer = await this.#call(method, request);
      return answer.ok ? ok({ message: answer.value, counts: [] }) : answer;
    }
    const keyed = { ...this.#line.header, [idempotencyKeyHeader]: this.#mintKey() };
    const answer = await callRepeatable({ ...this.#line, header: keyed }, method, request);
    if (!answer.ok) return answer;
    const { message, header } = answer.value;
    const matched = header.get(matchedObjectsHeader);
    return ok({ message, counts: matched === null ? [] : [{ realm, matched: Number(matched) }] });
  }

  /** Calls the method on an agent, or the forwarding method with the realm's name on an aggregator. */
  async #callRealm<M extends Method>(
    method: M,
    forwarding: Method,
    { request, realm }: { readonly request: CallFields; readonly realm: string | undefined },
  ): Promise<Result<Executed<M>, RpcFailure>> {
    const { flags, loginName } = this.#options;
    const known = await this.info();
    if (!known.ok) return known;
    const author = flags.author ?? (known.value.authEnabled === true ? "" : loginName());
    const signed = method.input.fields.some(({ name }) => name === "author") ? { ...request, author } : request;
    if (known.value.aggregator === true)
      return this.#callThroughAggregator(method, forwarding, { fields: signed, realm });
    const mismatch = realmMismatch(known.value.realm, flags.targetRealm);
    return mismatch === undefined ? this.#send(method, signed, "") : commandFailed(`${this.url} ${mismatch}`);
  }

  async #callThroughAggregator<M extends Method>(
    method: M,
    forwarding: Method,
    { fields, realm: known }: { readonly fields: CallFields; readonly realm: string | undefined },
  ): Promise<Result<Executed<M>, RpcFailure>> {
    const { targetRealm } = this.#options.flags;
    if (targetRealm === undefined && method === aggregatorMethod) return this.#send(method, fields, "");
    const { target } = fields;
    if (targetRealm === undefined && isSelector(target))
      return this.#callEverywhere(method, target.target.value, fields);
    const isOwn = targetRealm === undefined && (ownMethods.has(method) || isOfChange(fields));
    const realm = isOwn ? ok("") : known === undefined ? await this.#realmOf(fields) : ok(known);
    if (!realm.ok) return realm;
    const answer = await this.#send(
      forwarding,
      { realm: realm.value, request: create(method.input, fields) },
      realm.value,
    );
    if (!answer.ok) return answer;
    const { message, counts } = answer.value;
    // The response of the forwarding method has the same fields; that of a command for all realms has results.
    const { results } = message as { results?: RealmResult[] };
    const inRealms = results === undefined || results.length === 0 ? ok(counts) : bulkCounts(results);
    const inner = fromJson(method.output, toJson(forwarding.output, message), { ignoreUnknownFields: true });
    return inRealms.ok ? ok({ message: inner as MessageShape<M["output"]>, counts: inRealms.value }) : inRealms;
  }

  /** Sends a command on a selection to every realm of an aggregator that has a match. */
  async #callEverywhere<M extends Method>(
    method: M,
    selector: string,
    fields: CallFields,
  ): Promise<Result<Executed<M>, RpcFailure>> {
    const request = bulkRequest(method.localName, { selector, requestId: this.#mintKey(), fields });
    if (request === undefined) return wrongUsage(`${method.localName} does not take a selection`);
    const answer = await this.#send(RealmBulkService.method.execute, request, "");
    if (!answer.ok) return answer;
    const { results } = answer.value.message;
    const counts = bulkCounts(results);
    if (!counts.ok) return counts;
    const values = { downtimeIds: results.flatMap(({ downtimeIds }) => downtimeIds) };
    const message = create(method.output, fieldsOf(method.output, values)) as MessageShape<M["output"]>;
    return ok({ message, counts: counts.value });
  }

  /** Realm of `-target-realm`, or the one that has the object, downtime or comment of a request to an aggregator. */
  async #realmOf({ target, downtimeId, commentId }: CallFields): Promise<Result<string, CliFailure>> {
    const { targetRealm } = this.#options.flags;
    if (targetRealm !== undefined) {
      const exists = await this.#directory.check(targetRealm);
      return exists.ok ? ok(targetRealm) : exists;
    }
    if (isObject(target)) return this.#directory.ofObject(target.target.value);
    if (typeof downtimeId === "string") return this.#directory.ofAnnotation({ kind: "downtime", id: downtimeId });
    if (typeof commentId === "string") return this.#directory.ofAnnotation({ kind: "comment", id: commentId });
    const names = await this.#directory.names();
    const list = names.ok ? `, one of ${names.value.join(", ")}` : "";
    return wrongUsage(`${this.url} is an aggregator: -target-realm is required${list}`);
  }
}

/** Headers with the credentials; a token has precedence, because it was given for this call. */
function credentialsOf(token: string | undefined, session: string | undefined): Readonly<Record<string, string>> {
  if (token !== undefined) return { authorization: `Bearer ${token}` };
  return session === undefined ? {} : { cookie: session };
}

/** Method that an aggregator answers itself when no realm is given. */
const aggregatorMethod: Method = AdminService.method.listAuditRecords;

/** Commands that concern the aggregator itself when no realm is given. */
const ownMethods: ReadonlySet<Method> = new Set([CommandService.method.addNote]);

/** True for the deletion of a change, which an aggregator executes in all realms. */
const isOfChange = ({ changeId, downtimeId }: CallFields): boolean =>
  typeof changeId === "string" && changeId !== "" && downtimeId === undefined;

const forwardingMethod = <T extends Forwarded<T>>(methods: T, name: keyof T): Method => methods[name];

type TargetOf<Case extends Target["target"]["case"]> = { readonly target: Extract<Target["target"], { case: Case }> };
const caseOf = (target: unknown): unknown => (target as Target | undefined)?.target.case;
const isSelector = (target: unknown): target is TargetOf<"selector"> => caseOf(target) === "selector";
const isObject = (target: unknown): target is TargetOf<"object"> => caseOf(target) === "object";

/** Values whose field the message has. */
const fieldsOf = ({ fields }: DescMessage, values: CallFields): CallFields =>
  Object.fromEntries(Object.entries(values).filter(([name]) => fields.some(({ localName }) => localName === name)));

/** Reason why this agent cannot execute a command for the realm; undefined when it can. */
const realmMismatch = (own: string, target: string | undefined): string | undefined =>
  target === undefined || target === own
    ? undefined
    : `is the agent of realm ${JSON.stringify(own)}, not of ${JSON.stringify(target)}`;
