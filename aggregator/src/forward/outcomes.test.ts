import assert from "node:assert/strict";
import { createServer as createHttp } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { after, type TestContext, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { AddCommentRequestSchema, CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { refuseOtherTarget } from "@realmwatch/shared/api/access/require-target";
import { openNatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { compileRealmsDocument } from "../realms/realms-document.ts";
import { openForwarder } from "./forwarder.ts";
import type { AgentProcess } from "./realm-call.ts";

const bus = openNatsBus({
  ...{ url: "nats://127.0.0.1:1", credsFile: "", name: "test", clock: systemClock },
  log: { info() {}, warn() {} },
});
after(() => bus.close());

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

async function listening<S extends Server>(t: TestContext, server: S, sockets = new Set<Socket>()): Promise<S> {
  server.on("connection", (socket: Socket) => sockets.add(socket.on("error", () => {})));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return server;
}

type Seen = { key: string | null; deadlineMs: number; forwardedBy: string | null; text: string };
type Answer = (call: Seen, count: number, context: HandlerContext) => void;

/** A realm that answers AddComment and records each call. */
async function openRealm(t: TestContext, answer: Answer = () => {}) {
  const seen: Seen[] = [];
  const routes = connectNodeAdapter({
    routes: (router) =>
      router.service(CommandService, {
        addComment({ text }, context) {
          const { requestHeader } = context;
          const call: Seen = {
            key: requestHeader.get("idempotency-key"),
            deadlineMs: Number(requestHeader.get("x-realmwatch-deadline-uptime")),
            forwardedBy: requestHeader.get("x-realmwatch-forwarded-by"),
            text,
          };
          seen.push(call);
          answer(call, seen.length, context);
          return { commentId: `c${seen.length}` };
        },
      }),
  });
  const server = await listening(t, createHttp(routes));
  return { seen, port: portOf(server), server };
}

/** A proxy before a realm. `spoil` decides for each connection, by its number from 1, what happens to its answer. */
async function openProxy(t: TestContext, port: number, spoil: (count: number) => "pass" | "reset" | "hang") {
  let count = 0;
  const sockets = new Set<Socket>();
  const proxy = createServer((near) => {
    const fate = spoil(++count);
    const far = connect(port, "127.0.0.1");
    sockets.add(far.on("error", () => {}));
    near.pipe(far);
    far.on("data", (data) => {
      if (fate === "pass") near.write(data);
      else if (fate === "reset") near.resetAndDestroy();
    });
  });
  return `http://127.0.0.1:${portOf(await listening(t, proxy, sockets))}`;
}

type Sent = { key?: string; timeoutMs?: number };
type Known = { readonly agent?: AgentProcess; readonly silent?: string };

function openCaller(t: TestContext, url: string, { agent, silent }: Known = {}) {
  const realms = compileRealmsDocument({ realms: { fra: { url } } });
  assert.ok(realms.ok);
  const forwarder = openForwarder({
    ...{ realms: realms.value, tokens: new Map(), bus, clock: systemClock, onEnd() {} },
    unreachableReason: () => silent,
    followedAgent: () => agent ?? { instance: "", startedMs: undefined },
    ending: new AbortController().signal,
  });
  t.after(() => forwarder.close());
  return async ({ key, timeoutMs = 20_000 }: Sent = {}) => {
    const result = await forwarder.forward("fra", {
      method: CommandService.method.addComment,
      message: create(AddCommentRequestSchema, { text: "hello" }),
      requestId: "r-1",
      idempotencyKey: key,
      timeoutMs,
      signal: new AbortController().signal,
    });
    if (result.ok) return `ok ${(result.value.message as { commentId?: string }).commentId}`;
    const error = result.error instanceof ConnectError ? result.error : assert.fail(result.error.kind);
    return `${Code[error.code]}: ${error.rawMessage}`;
  };
}

test("[FD28] a command whose answer is lost with its connection is repeated with the same key", async (t) => {
  const realm = await openRealm(t);
  const send = openCaller(t, await openProxy(t, realm.port, (count) => (count <= 2 ? "reset" : "pass")));
  assert.equal(await send({ key: "k1" }), "ok c3");
  assert.deepEqual(
    realm.seen.map(({ key, forwardedBy }) => [key, forwardedBy]),
    Array.from({ length: 3 }, () => ["k1", "realmwatch-aggregator"]),
  );
});

test("[FD28] a hanging connection is given half of the time, then the command is repeated", async (t) => {
  const realm = await openRealm(t);
  const send = openCaller(t, await openProxy(t, realm.port, (count) => (count === 1 ? "hang" : "pass")));
  assert.equal(await send({ key: "k1", timeoutMs: 6_000 }), "ok c2");
});

test("[FD27, FD28] a call without a key is sent once, and its outcome is unknown", async (t) => {
  const realm = await openRealm(t);
  const send = openCaller(t, await openProxy(t, realm.port, () => "reset"));
  assert.match(await send(), /^DeadlineExceeded: .*the outcome is unknown$/);
  assert.equal(realm.seen.length, 1);
});

test("[FD27] the outcome stays unknown when repeats find no realm, or one that cannot look the key up", async (t) => {
  const realm = await openRealm(t, (_, count) => {
    if (count > 1) throw new ConnectError("the journal cannot be read", Code.Unavailable);
  });
  const send = openCaller(t, await openProxy(t, realm.port, (count) => (count === 1 ? "reset" : "pass")));
  assert.match(await send({ key: "k1", timeoutMs: 2_000 }), /^DeadlineExceeded: .*the outcome is unknown$/);

  const gone = await openRealm(t);
  const proxy = await openProxy(t, gone.port, () => {
    gone.server.close();
    return "reset";
  });
  const sendToGone = openCaller(t, proxy);
  assert.match(await sendToGone({ key: "k2", timeoutMs: 2_000 }), /^DeadlineExceeded: .*the outcome is unknown$/);
});

test("a refusal of the realm is not repeated", async (t) => {
  const realm = await openRealm(t, () => {
    throw new ConnectError("the disk is full", Code.Unavailable);
  });
  const send = openCaller(t, `http://127.0.0.1:${realm.port}`);
  assert.equal(await send({ key: "k1" }), "Unavailable: the disk is full");
  assert.equal(realm.seen.length, 1);
});

test("[FD25] a call carries its deadline on the monotonic clock of the agent, the same in each repeat", async (t) => {
  const realm = await openRealm(t);
  const proxy = await openProxy(t, realm.port, (count) => (count === 1 ? "reset" : "pass"));
  const upMs = 3_600_000;
  const send = openCaller(t, proxy, { agent: { instance: "one", startedMs: systemClock.monotonic() - upMs } });
  const beforeMs = systemClock.monotonic();
  await send({ key: "k1", timeoutMs: 20_000 });
  const tookMs = systemClock.monotonic() - beforeMs;
  const [first, second] = realm.seen;
  assert.ok(first && second && first.deadlineMs === second.deadlineMs);
  const leadMs = first.deadlineMs - upMs;
  assert.ok(leadMs >= 19_999 && leadMs <= 20_000 + tookMs, `${leadMs} ms`);
});

test("[FD85] a call that the agent of another realm refuses is not repeated, and the refusal names that agent", async (t) => {
  const other = { realm: "ams", instance: "two", previousInstance: "" };
  const realm = await openRealm(t, (_, __, context) => refuseOtherTarget(context, other, 1));
  const send = openCaller(t, `http://127.0.0.1:${realm.port}`);
  const answer = await send({ key: "k1" });
  assert.equal(
    answer,
    'FailedPrecondition: this is the agent of realm "ams", instance two: the call is for realm "fra" and was not executed',
  );
  assert.equal(realm.seen.length, 1);
});

test("[FD86] where NATS is away, an agent that has refused a call for its predecessor is called", async (t) => {
  const realm = await openRealm(t, (_, __, context) =>
    refuseOtherTarget(context, { realm: "fra", instance: "two", previousInstance: "" }, 60_000),
  );
  const agent = { instance: "one", startedMs: systemClock.monotonic() - 3_600_000 };
  const send = openCaller(t, `http://127.0.0.1:${realm.port}`, { agent });
  assert.equal(await send({ timeoutMs: 20_000 }), "ok c2");
  const leadMs = (realm.seen[1]?.deadlineMs ?? 0) - 60_000;
  assert.ok(leadMs > 0 && leadMs <= 20_000, `${leadMs} ms`);
});

test("[FD26] a realm with a url is called although it is silent, where NATS is away and no realm can be heard", async (t) => {
  const realm = await openRealm(t);
  const send = openCaller(t, `http://127.0.0.1:${realm.port}`, { silent: "is unreachable" });
  assert.equal(await send({ key: "k1" }), "ok c1");
});

test("[FD26] a call that waits for a free connection until its deadline surely never left", async (t) => {
  const sockets = new Set<Socket>();
  const server = await listening(t, createServer(), sockets);
  const send = openCaller(t, `http://127.0.0.1:${portOf(server)}`);
  const hanging = Array.from({ length: 32 }, () => send({ timeoutMs: 4_000 }));
  await until("32 connections", () => sockets.size === 32);
  assert.match(await send({ timeoutMs: 200 }), /^Unavailable: .*cannot be reached/);
  for (const answer of await Promise.all(hanging)) assert.match(answer, /^DeadlineExceeded/);
});
