import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { connect } from "node:http2";
import { join } from "node:path";
import { test } from "node:test";
import { create, type DescMethod, type DescService, toBinary } from "@bufbuild/protobuf";
import { AdminService } from "@realmwatch/proto/svc/v1/admin_pb";
import { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { RealmAdminService, RealmBulkService, RealmCommandService } from "@realmwatch/proto/svc/v1/realm_pb";
import type { TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { authJson, passwords, tokens } from "../../api/program-server.fixture.ts";
import { callRaw, grpcFrame, type RawResponse, type WireProtocol } from "../../api/raw-call.ts";
import { startNats, startTestAgent, startTestAggregator, type TestFlags, tempFolder } from "../../run/processes.ts";

const services = [
  QueryService,
  CommandService,
  AuthService,
  AdminService,
  RealmCommandService,
  RealmBulkService,
  RealmAdminService,
] as const;
const protocols = ["json", "grpc", "grpc-web"] as const satisfies readonly WireProtocol[];
const programs = ["agent", "aggregator"] as const;
const gates = ["open", "token", "identities"] as const;

type Mode = {
  readonly program: (typeof programs)[number];
  readonly gate: (typeof gates)[number];
  readonly readOnly: boolean;
};
type Role = "none" | "viewer" | "operator" | "admin";
type CallerKind = {
  readonly name: string;
  readonly headers: Record<string, string>;
  /** Role of the identity, where there are identities. */
  readonly role: Role;
};

const shared = "a-shared-api-token";
const ranks: Readonly<Record<Role, number>> = { none: 0, viewer: 1, operator: 2, admin: 3 };
const isAggregatorOnly = (service: DescService): boolean => service.name.startsWith("Realm");
const needed = (service: DescService): Role =>
  /Admin/.test(service.name) ? "admin" : /Command|Bulk/.test(service.name) ? "operator" : "viewer";

/** True when a program in a mode serves a service. */
function isServed(service: DescService, { program, gate, readOnly }: Mode): boolean {
  if (service === QueryService) return true;
  if (service === AuthService) return gate === "identities";
  if (readOnly || (program === "agent" && isAggregatorOnly(service))) return false;
  if (service === CommandService) return program === "agent";
  return needed(service) === "operator" || gate === "identities";
}

/** Kind of answer that a caller gets: `admitted` for any that the method itself gives. */
function expected(method: DescMethod, mode: Mode, caller: CallerKind): string {
  const service = method.parent;
  if (!isServed(service, mode)) return "absent";
  if (mode.gate === "open") return "admitted";
  if (mode.gate === "token")
    return service === QueryService || caller.headers["authorization"] === `Bearer ${shared}`
      ? "admitted"
      : "unauthenticated";
  if (method === AuthService.method.login) return "unauthenticated";
  if (service === AuthService)
    return caller.role === "none" && method === AuthService.method.whoAmI ? "unauthenticated" : "admitted";
  if (caller.role === "none") return "unauthenticated";
  return ranks[caller.role] < ranks[needed(service)] ? "permission_denied" : "admitted";
}

function kindOf(method: DescMethod, { status, code, message }: RawResponse): string {
  if (status === 404 && code === "") return "absent";
  if (code === "unimplemented" && / is not served here$/.test(message)) return "absent";
  // Logins of this test fail, and are too many after the tenth.
  if (method === AuthService.method.login && code === "resource_exhausted") return "unauthenticated";
  return code === "unauthenticated" || code === "permission_denied"
    ? code
    : code === ""
      ? `status ${status}`
      : "admitted";
}

function emptyBody(method: DescMethod, protocol: WireProtocol): Buffer<ArrayBuffer> {
  if (protocol === "json") return Buffer.from("{}");
  return Buffer.from(grpcFrame(toBinary(method.input, create(method.input))));
}

async function login(base: string, user: keyof typeof passwords): Promise<string> {
  const body = Buffer.from(JSON.stringify({ user, password: passwords[user] }));
  const answer = await callRaw(base, `/${AuthService.typeName}/Login`, { protocol: "json", body });
  assert.equal(answer.code, "ok", answer.message);
  return answer.setCookies[0]?.split(";")[0] ?? "";
}

async function callersOf(base: string, { gate }: Mode): Promise<CallerKind[]> {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const callers: CallerKind[] = [
    { name: "no one", headers: {}, role: "none" },
    { name: "a wrong token", headers: bearer("wrong"), role: "none" },
    { name: "the shared token", headers: bearer(shared), role: "none" },
    { name: "a forged session", headers: { cookie: "svc_session=a.b.c" }, role: "none" },
  ];
  if (gate !== "identities") return callers;
  for (const role of ["viewer", "operator", "admin"] as const) {
    const cookie = await login(base, role);
    callers.push({ name: `the token of a ${role}`, headers: bearer(tokens[role].token), role });
    callers.push({ name: `the session of a ${role}`, headers: { cookie }, role });
    callers.push({
      name: `a ${role}'s session elsewhere`,
      headers: { cookie, origin: "http://evil.example" },
      role: "none",
    });
  }
  const ended = await login(base, "admin");
  const logout = { protocol: "json", body: Buffer.from("{}"), headers: { cookie: ended } } as const;
  assert.equal((await callRaw(base, `/${AuthService.typeName}/Logout`, logout)).code, "ok");
  callers.push({ name: "an ended session", headers: { cookie: ended }, role: "none" });
  const two = { ...bearer(tokens.admin.token), cookie: await login(base, "viewer") };
  callers.push({ name: "two identities", headers: two, role: "none" });
  return callers;
}

/** Calls every method by every caller in every wire format, with an empty request. @returns answers that differ, and the number of calls */
async function checkMode(base: string, mode: Mode): Promise<{ readonly wrong: string[]; readonly calls: number }> {
  const session = connect(base);
  const wrong: string[] = [];
  const methods: DescMethod[] = services.flatMap((service) => [...service.methods]);
  // A logout ends the session with which other methods are called.
  const inOrder = [...methods.filter(({ name }) => name !== "Logout"), AuthService.method.logout];
  const callers = await callersOf(base, mode);
  let calls = 0;
  for (const method of inOrder)
    await Promise.all(
      callers.flatMap((caller) =>
        protocols.map(async (protocol) => {
          const path = `/${method.parent.typeName}/${method.name}`;
          const request = { protocol, headers: caller.headers, body: emptyBody(method, protocol), session };
          const answer = await callRaw(base, path, request);
          calls += 1;
          const isElsewhere = "origin" in caller.headers && isServed(method.parent, mode);
          const should = isElsewhere ? "permission_denied" : expected(method, mode, caller);
          const got = kindOf(method, answer);
          if (got !== should)
            wrong.push(`${protocol} ${path} with ${caller.name}: ${got}, not ${should}: ${answer.message}`);
        }),
      ),
    );
  for (const service of services)
    if (!isServed(service, mode))
      for (const verb of ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"])
        for (const name of [service.methods[0]?.name, "Nope"]) {
          const { status } = await fetch(`${base}/${service.typeName}/${name}`, { method: verb });
          if (status !== 404) wrong.push(`${verb} ${service.typeName}/${name}: ${status}`);
        }
  session.close();
  return { wrong, calls };
}

function flagsOf(scope: TestScope, { gate, readOnly }: Mode): TestFlags {
  const file = join(tempFolder(scope, "auth"), "auth.cue");
  writeFileSync(file, JSON.stringify(authJson));
  return {
    "read-only": readOnly,
    "api-token": gate === "token" ? shared : false,
    "auth-config": gate === "identities" ? file : false,
  };
}

for (const program of programs)
  for (const gate of gates)
    for (const readOnly of [false, true])
      test(`[IN9, PT3] ${program}, ${gate}, ${readOnly ? "read-only" : "with commands"}: each method has its gate in each format`, async (t) => {
        const mode = { program, gate, readOnly };
        const flags = flagsOf(t, mode);
        const config = 'hosts: web1: {address: "x", check: {type: "passive", freshness_threshold: "1h", flap: {}}}\n';
        const { base } =
          program === "agent"
            ? await startTestAgent(t, { config, flags })
            : await startTestAggregator(t, {
                realms: "realms: fra: {}\n",
                flags: { ...flags, "nats-url": (await startNats(t)).url },
              });
        const { wrong, calls } = await checkMode(base, mode);
        t.diagnostic(`${calls} calls`);
        assert.deepEqual(wrong, []);
      });
