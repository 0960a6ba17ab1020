import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { DescMethod } from "@bufbuild/protobuf";
import { create, toBinary, toJsonString } from "@bufbuild/protobuf";
import type { ConnectRouter } from "@connectrpc/connect";
import { AdminService } from "@realmwatch/proto/svc/v1/admin_pb";
import { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { RealmAdminService, RealmBulkService, RealmCommandService } from "@realmwatch/proto/svc/v1/realm_pb";
import { openProgramServer, type ProgramServerOptions } from "@realmwatch/shared/api/program-server";
import { compileAuthDocument } from "@realmwatch/shared/identity/auth-document";
import { newToken } from "@realmwatch/shared/identity/new-token";
import { hashPassword } from "@realmwatch/shared/identity/password-hash";
import type { AuditRecord } from "@realmwatch/shared/model/audit";
import { hideSecret } from "@realmwatch/shared/platform/flags/secret";
import { openLog } from "@realmwatch/shared/platform/log/log";
import { openMetrics } from "@realmwatch/shared/platform/metrics/metrics";
import { noNetworks } from "@realmwatch/shared/platform/network/network-list";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { callRaw, grpcFrame, type RawResponse, type WireProtocol } from "./raw-call.ts";

export const sessionSecret = "a session secret of more than 32 bytes";
/** Services that need an identity, of the agent and of the aggregator. */
export const gatedServices = [
  QueryService,
  CommandService,
  AdminService,
  RealmCommandService,
  RealmBulkService,
  RealmAdminService,
];
/** Passwords of the identities viewer, operator and admin. */
export const passwords = { viewer: "vi3w", operator: "op3rate", admin: "adm1n" } as const;
/** Tokens of the identities `bot-…`. */
export const tokens = { viewer: newToken(), operator: newToken(), admin: newToken() } as const;

/** Auth document of a viewer, an operator and an admin with passwords, and of the same with tokens. */
export const authJson = {
  auth: Object.fromEntries(
    (
      await Promise.all(
        (["viewer", "operator", "admin"] as const).map(async (role) => [
          [role, { role, password_hash: await hashPassword(passwords[role]) }] as const,
          [`bot-${role}`, { role, token_hash: tokens[role].tokenHash }] as const,
        ]),
      )
    ).flat(),
  ),
};

export function compileAuth(json: unknown) {
  const plan = compileAuthDocument(json);
  if (!plan.ok) throw new Error(JSON.stringify(plan.error));
  return plan.value;
}

export type OpenedProgram = {
  readonly base: string;
  readonly dataDir: string;
  readonly audited: readonly AuditRecord[];
  /** Log lines so far. */
  readonly logged: readonly string[];
  close(): Promise<void>;
  reloadCertificate(): void;
  /** Calls a method with the JSON form of its request, in one of the wire formats. */
  call(method: DescMethod, options?: CallOptions): Promise<RawResponse>;
  /** Logs in. @returns the value of the cookie with its name */
  login(user: keyof typeof passwords): Promise<string>;
};

type CallOptions = {
  readonly protocol?: WireProtocol;
  readonly request?: Record<string, unknown>;
  readonly headers?: Readonly<Record<string, string>>;
};

type OpenProgramOptions = Partial<Omit<ProgramServerOptions, "flags">> & {
  readonly flags?: Partial<ProgramServerOptions["flags"]>;
  readonly mount?: (router: ConnectRouter) => void;
};

/** Opens the port of a program as agent and aggregator do, with services that implement nothing. */
export async function openTestProgram(t: TestContext, options: OpenProgramOptions = {}): Promise<OpenedProgram> {
  const folder = mkdtempSync(join(tmpdir(), "program-"));
  atEnd(t, () => rmSync(folder, { recursive: true, force: true }));
  const dashboardDir = join(folder, "dashboard");
  mkdirSync(dashboardDir);
  writeFileSync(join(dashboardDir, "index.html"), "<!doctype html>");
  const audited: AuditRecord[] = [];
  const logged: string[] = [];
  const metrics = openMetrics({ version: "dev", commit: "unknown" });
  const dataDir = options.flags?.dataDir ?? folder;
  const opened = await openProgramServer({
    audience: "agent/fra",
    called: { realm: "fra", instance: "i1", previousInstance: "" },
    clock: systemClock,
    log: await openLog({ level: "debug", format: "json", to: { write: (line: string) => void logged.push(line) } }),
    metrics,
    auth: compileAuth(authJson),
    audit: { add: async (record) => void audited.push(record) },
    mount: mountNothing,
    dashboardDir,
    docsDir: join(folder, "docs"),
    livenessError: () => undefined,
    dependencies: () => [],
    ...options,
    flags: {
      listen: { host: "127.0.0.1", port: 0 },
      apiToken: undefined,
      trustedProxies: noNetworks,
      publicUrl: undefined,
      sessionSecret: hideSecret(sessionSecret),
      sessionTtl: 43_200_000,
      ...options.flags,
      dataDir,
    },
  } as ProgramServerOptions);
  if (!opened.ok) throw new Error(opened.error);
  const server = opened.value;
  const close = async (): Promise<void> => {
    await server.close(0);
    metrics.close();
  };
  atEnd(t, close);
  const base = server.url;
  const call: OpenedProgram["call"] = (method, { protocol = "json", request = {}, headers = {} } = {}) =>
    callRaw(base, `/${method.parent.typeName}/${method.name}`, {
      protocol,
      headers,
      body: bodyOf(method, request, protocol),
    });
  return {
    ...{ base, dataDir, audited, logged, close, call, reloadCertificate: server.reloadCertificate },
    async login(user) {
      const answer = await call(AuthService.method.login, { request: { user, password: passwords[user] } });
      if (answer.code !== "ok") throw new Error(`login of ${user}: ${answer.code} ${answer.message}`);
      return answer.setCookies[0]?.split(";")[0] ?? "";
    },
  };
}

function bodyOf(method: DescMethod, request: Record<string, unknown>, protocol: WireProtocol): Buffer<ArrayBuffer> {
  const message = create(method.input, request);
  if (protocol === "json") return Buffer.from(toJsonString(method.input, message));
  const bytes = toBinary(method.input, message);
  return Buffer.from(protocol === "proto" ? bytes : grpcFrame(bytes));
}

function mountNothing(router: ConnectRouter): void {
  for (const service of gatedServices) router.service(service, {});
}
