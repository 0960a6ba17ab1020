import type { MessageInitShape } from "@bufbuild/protobuf";
import { createConnectTransport } from "@connectrpc/connect-node";
import { AdminService } from "@realmwatch/proto/svc/v1/admin_pb";
import { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { PairService } from "@realmwatch/proto/svc/v1/pair_pb";
import { type GetServerInfoResponse, QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { RealmAdminService, RealmCommandService } from "@realmwatch/proto/svc/v1/realm_pb";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { idGenerator } from "@realmwatch/shared/platform/id-generator";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import type { CliFailure } from "../output/cli-failure.ts";
import { maxAnswerBytes } from "./answer-text.ts";
import type { ConnectionFlags } from "./connection-flags.ts";
import { type Executed, RealmCalls } from "./realm-calls.ts";
import { realmDirectory } from "./realm-directory.ts";
import {
  type Answered,
  type CallFields,
  callOnce,
  type Line,
  logIn,
  type Method,
  type NewSession,
} from "./server-call.ts";
import { readServerPage, type ServerPage } from "./server-page.ts";
import type { ClientTls } from "./tls-files.ts";

type Query = typeof QueryService.method;
type Commands = typeof CommandService.method;
type Admin = typeof AdminService.method;
/** Methods of an agent that an aggregator forwards. */
type Forwarded<M> = Readonly<Record<keyof M, Method>>;

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
  readonly #realms: RealmCalls;
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
    this.#realms = new RealmCalls({
      ...{ flags, line: this.#line, directory: this.#directory, mintKey: this.mintId },
      ...{ info: () => this.info(), loginName: options.loginName },
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
    return this.#realms.call(...methods, { request, realm });
  }

  /** Returns a new id of a change. */
  readonly mintId = idGenerator(systemClock);

  /** Like `command`, for the administration calls. */
  async admin<K extends keyof Admin>(
    name: K,
    request: MessageInitShape<Admin[K]["input"]>,
  ): Promise<Answered<Admin[K]>> {
    const methods = [AdminService.method[name], forwardingMethod(RealmAdminService.method, name)] as const;
    const executed = await this.#realms.call(...methods, { request, realm: undefined });
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
}

/** Headers with the credentials; a token has precedence, because it was given for this call. */
function credentialsOf(token: string | undefined, session: string | undefined): Readonly<Record<string, string>> {
  if (token !== undefined) return { authorization: `Bearer ${token}` };
  return session === undefined ? {} : { cookie: session };
}

const forwardingMethod = <T extends Forwarded<T>>(methods: T, name: keyof T): Method => methods[name];
