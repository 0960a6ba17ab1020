import assert from "node:assert/strict";
import { test } from "node:test";
import { pairService } from "@realmwatch/agent/port/pair-service";
import type { EngineChannel } from "@realmwatch/agent/port/port-contract";
import { PairService } from "@realmwatch/proto/svc/v1/pair_pb";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import type { PairStatus } from "@realmwatch/shared/model/pair-status";
import { fail, ok } from "@realmwatch/shared/model/result";
import { openTestProgram, tokens } from "./program-server.fixture.ts";

const status: PairStatus = {
  ...{ self: "fra-a", role: "active", active: "fra-a", standby: "fra-b", inSync: true, degraded: false, lagMs: 0 },
  ...{ term: 7, leaseMs: 45_000, marginMs: 9_000, leaseRemainingMs: 40_000, promiseRemainingMs: 0, reason: "" },
  ...{ sinceMs: 0, documentsDiffer: false, lastTakeover: undefined, asOfMs: undefined },
};
const asked: string[] = [];
const engine = {
  async request(name: string, ...args: readonly unknown[]) {
    asked.push([name, ...args].map(String).join(" "));
    if (name === "pairStatus") return status;
    if (name === "followPair") return ok(new Uint8Array([7]));
    return name === "promotePair" ? fail("the other member can be reached and is active") : ok(status);
  },
} as never as EngineChannel;
const { get, switch: hand, promote, follow } = PairService.method;
const bearer = (role: keyof typeof tokens) => ({ authorization: `Bearer ${tokens[role].token}` });

test("[PA52] Get is for viewers, Switch for operators, Promote for admins, Follow proves its secret; two are audited", async (t) => {
  const { call, audited } = await openTestProgram(t, {
    mount: (router) => router.service(PairService, pairService(engine, new Uint8Array(32))),
  });
  const rows = [
    [get, {}, ["ok", "ok", "ok"]],
    [hand, {}, ["permission_denied", "ok", "ok"]],
    [promote, { force: true }, ["permission_denied", "permission_denied", "failed_precondition"]],
  ] as const;
  for (const [method, request, codes] of rows) {
    assert.equal((await call(method, { request })).code, "unauthenticated", method.name);
    for (const [at, role] of (["viewer", "operator", "admin"] as const).entries())
      assert.equal((await call(method, { request, headers: bearer(role) })).code, codes[at], `${method.name} ${role}`);
  }
  assert.equal((await call(promote, { headers: bearer("admin") })).code, "invalid_argument");
  const link = await call(follow, { protocol: "proto", request: { frame: new Uint8Array(64) } });
  assert.equal(link.code, "unauthenticated");
  assert.match(link.message ?? "", /another secret/);
  assert.deepEqual(
    asked.filter((line) => !line.startsWith("pairStatus")),
    ["switchPair bot-operator", "switchPair bot-admin", "promotePair bot-admin true"],
  );
  const outcomes = audited.map(({ rpc, outcome }) => `${rpc.split("/")[2]} ${outcome}`);
  assert.deepEqual([...new Set(outcomes)].sort(), [
    "Promote denied",
    "Promote rejected",
    "Switch accepted",
    "Switch denied",
  ]);
});

test("[PA56] a member without the realm's state answers GetServerInfo and PairService, and nothing else", async (t) => {
  const { call } = await openTestProgram(t, {
    unavailable: () => "standby: no state",
    mount(router) {
      router.service(PairService, pairService(engine, new Uint8Array(32)));
      router.service(QueryService, { getServerInfo: () => ({ realm: "fra" }), listStatus: () => ({}) });
    },
  });
  const { getServerInfo, listStatus } = QueryService.method;
  const codes = [get, getServerInfo, listStatus].map(
    async (method) => (await call(method, { headers: bearer("viewer") })).code,
  );
  assert.deepEqual(await Promise.all(codes), ["ok", "ok", "unavailable"]);
});

test("[PA53] /activez is 200 at the active member alone, and missing without a pair", async (t) => {
  let why: string | undefined = "standby: the active is fra-b";
  const member = await openTestProgram(t, { inactiveReason: async () => why });
  const page = async (base: string) => {
    const answer = await fetch(`${base}/activez`);
    return [answer.status, (await answer.text()).trim()];
  };
  assert.deepEqual(await page(member.base), [503, why]);
  why = undefined;
  assert.deepEqual(await page(member.base), [200, "active"]);
  const unpaired = await openTestProgram(t);
  assert.equal((await page(unpaired.base))[0], 404);
});
