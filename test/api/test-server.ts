import type { TestContext } from "node:test";
import type { ConnectRouter } from "@connectrpc/connect";
import { AdminService } from "@realmwatch/proto/svc/v1/admin_pb";
import { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { type AuthServiceOptions, authService } from "@realmwatch/shared/api/access/auth-service";
import { callerOf } from "@realmwatch/shared/api/access/caller";
import { type AccessPolicy, requireRole } from "@realmwatch/shared/api/access/require-role";
import { isDashboardRoute } from "@realmwatch/shared/api/dashboard-routes";
import { describedApi } from "@realmwatch/shared/api/discovery/described-api";
import { toConnectError } from "@realmwatch/shared/api/rpc/refusal-to-code";
import { defaultRpcLimit, rpcLimits } from "@realmwatch/shared/api/rpc/rpc-limits";
import { openPortServer, type PortServer, type PortServerOptions } from "@realmwatch/shared/platform/http/port-server";
import { noNetworks } from "@realmwatch/shared/platform/network/network-list";
import type { RpcServerOptions } from "@realmwatch/shared/platform/rpc/rpc-handler";
import type { CompletedRpc } from "@realmwatch/shared/platform/rpc/server-call";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";

export type TestServer = {
  readonly server: PortServer;
  readonly base: string;
  readonly port: number;
  /** Completed calls, in order. */
  readonly ended: CompletedRpc[];
  /** Values of `search` in the ListStatus requests. */
  readonly searched: string[];
  /** Signals of those calls. */
  readonly signals: AbortSignal[];
  /** Errors that page handlers threw. */
  readonly faults: unknown[];
  /** Releases the calls that search for "wait". */
  readonly release: () => void;
};

type TestServerOptions = Partial<Omit<PortServerOptions, "rpc">> & {
  readonly access?: AccessPolicy;
  /** Logins and sessions; by default every login is refused. */
  readonly auth?: AuthServiceOptions;
  readonly rpc?: Partial<RpcServerOptions>;
};

/** Opens a server with small test services on a free port; closes it at the end of the test. */
export async function openTestServer(t: TestContext, options: TestServerOptions = {}): Promise<TestServer> {
  const ended: CompletedRpc[] = [];
  const searched: string[] = [];
  const signals: AbortSignal[] = [];
  const faults: unknown[] = [];
  const waiting = Promise.withResolvers<void>();
  const { access = { kind: "open" }, auth = noLogins, rpc, ...rest } = options;
  const opened = await openPortServer({
    listen: { host: "127.0.0.1", port: 0 },
    trustedProxies: noNetworks,
    pages: new Map(),
    files: new Map(),
    isAppRoute: isDashboardRoute,
    onFault: (error) => faults.push(error),
    ...rest,
    rpc: {
      clock: systemClock,
      mount: (router) => mountTestServices(router, { searched, signals, auth, released: waiting.promise }),
      gate: requireRole(access, () => "minted"),
      limit: defaultRpcLimit,
      limits: rpcLimits,
      onComplete: (call) => ended.push(call),
      ...rpc,
    },
  });
  if (!opened.ok) throw new Error(opened.error);
  const server = opened.value;
  atEnd(t, () => server.close(0));
  return {
    server,
    base: `http://127.0.0.1:${server.port}`,
    port: server.port,
    ended,
    searched,
    signals,
    faults,
    release: waiting.resolve,
  };
}

/** Opens a port with the description of its own API. `state.ready` is the readiness that it reports. */
export async function openDescribed(t: TestContext, options: TestServerOptions = {}) {
  const state = { ready: true };
  const api = describedApi({
    clock: systemClock,
    livenessError: () => undefined,
    dependencies: () => [{ name: "journal", ok: state.ready, needed: true, detail: "" }],
  });
  const searched: string[] = [];
  const opened = await openTestServer(t, {
    pages: api.pages,
    ...options,
    rpc: {
      mount: (router) =>
        api.mount(router, () => {
          router.service(QueryService, {
            listStatus: ({ search }) => {
              searched.push(search);
              return { nextPageToken: search };
            },
          });
          router.service(CommandService, { scheduleCheck: () => ({}) });
        }),
      ...options.rpc,
    },
  });
  return { ...opened, searched, state };
}

const noLogins: AuthServiceOptions = {
  logins: { attempt: async () => ({ kind: "refused" }) },
  sessions: { begin: async () => "", end: async () => "" },
};

/** Mounts test services. ListStatus returns `search` as page token, except for the keywords below. */
function mountTestServices(
  router: ConnectRouter,
  {
    searched,
    signals,
    auth,
    released,
  }: Pick<TestServer, "searched" | "signals"> & {
    readonly auth: AuthServiceOptions;
    readonly released: Promise<void>;
  },
): void {
  router.service(QueryService, {
    getServerInfo: () => ({ version: "v1.2.3", authEnabled: false, readOnly: false }),
    async listStatus({ search }, context) {
      searched.push(search);
      signals.push(context.signal);
      if (search === "hang") await new Promise(() => {});
      if (search === "wait") await released;
      if (search === "boom") throw new Error("a bug with a c4nary");
      if (search === "peer") return { nextPageToken: callerOf(context).peer };
      if (search === "id") return { nextPageToken: callerOf(context).requestId };
      if (search.startsWith("big ")) return { nextPageToken: "x".repeat(Number(search.slice("big ".length))) };
      return { nextPageToken: search };
    },
  });
  router.service(CommandService, { processCheckResults: () => ({}), scheduleCheck: () => ({}) });
  router.service(AuthService, authService(auth));
  router.service(AdminService, {
    validateConfig: ({ cue }) => {
      if (cue.length > 1) return {};
      const diagnostics = [{ message: "no", file: "config.cue", line: 3, column: 5 }];
      throw toConnectError({ kind: "rejected_document", diagnostics });
    },
  });
}
