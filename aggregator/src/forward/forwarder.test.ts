import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import { type AddressInfo, createServer as createTcp } from "node:net";
import { after, before, test } from "node:test";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { ConfigDiagnosticsSchema } from "@realmwatch/proto/svc/v1/admin_pb";
import {
  CommandService,
  ScheduleDowntimeRequestSchema,
  ScheduleDowntimeResponseSchema,
} from "@realmwatch/proto/svc/v1/command_pb";
import { refuseOtherTarget } from "@realmwatch/shared/api/access/require-target";
import type { Clock } from "@realmwatch/shared/model/clock";
import { hideSecret } from "@realmwatch/shared/platform/flags/secret";
import { type NatsBus, openNatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { freePort } from "@realmwatch/shared/platform/testing/free-port.fixture";
import { type SpawnedServer, startNatsServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { decodeNatsRequest, encodeNatsResponse, natsRpcAssembler } from "@realmwatch/shared/wire/nats/nats-rpc";
import { headers } from "nats";
import { compileRealmsDocument } from "../realms/realms-document.ts";
import { type EndedForward, openForwarder } from "./forwarder.ts";
import type { AgentProcess } from "./realm-call.ts";

const seen: { authorization: string | null; requestId: string | null; timeout: string | null; author: string }[] = [];
let http: Server;
let nats: SpawnedServer;
let bus: NatsBus;
before(async () => {
  http = createServer(
    connectNodeAdapter({
      routes: (router) =>
        router.service(CommandService, {
          async scheduleDowntime(request, context) {
            const { requestHeader } = context;
            const previousInstance = request.comment === "successor" ? "one" : "";
            if (request.comment === "restarted" || previousInstance !== "")
              refuseOtherTarget(context, { realm: "fra", instance: "two", previousInstance }, 1);
            seen.push({
              authorization: requestHeader.get("authorization"),
              requestId: requestHeader.get("x-request-id"),
              timeout: requestHeader.get("connect-timeout-ms"),
              author: request.author,
            });
            if (request.comment === "hang") await new Promise((resolve) => setTimeout(resolve, 60_000).unref());
            if (request.comment === "full") throw new ConnectError("the disk is full", Code.Unavailable);
            if (request.comment === "bad")
              throw new ConnectError("start: is unset", Code.InvalidArgument, { "x-inner": "1" }, [
                { desc: ConfigDiagnosticsSchema, value: { diagnostics: [{ message: "m", line: 3 }] } },
              ]);
            return { downtimeIds: ["d1"] };
          },
        }),
    }),
  );
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  nats = await startNatsServer();
  bus = openNatsBus({ url: nats.url, credsFile: "", name: "test", clock: systemClock, log: { info() {}, warn() {} } });
  await until("connected to NATS", () => bus.live());
});
after(async () => {
  http.closeAllConnections();
  http.close();
  await bus.close();
  await nats[Symbol.asyncDispose]();
});

const urlOf = (server: { address(): unknown }) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const unknownAgent: AgentProcess = { instance: "", startedMs: undefined };

function open(
  url: string,
  {
    silent,
    followed = () => unknownAgent,
    clock = systemClock,
  }: { silent?: string; followed?: () => AgentProcess; clock?: Clock } = {},
) {
  const realms = compileRealmsDocument({ realms: { fra: { url } } });
  assert.ok(realms.ok);
  const ended: EndedForward[] = [];
  const ending = new AbortController();
  const tokens = new Map([["fra", hideSecret("tok-of-the-centre")]]);
  const forwarder = openForwarder({
    realms: realms.value,
    tokens,
    bus,
    clock,
    unreachableReason: () => silent,
    followedAgent: followed,
    ending: ending.signal,
    onEnd: (end) => ended.push(end),
  });
  const send = async (
    comment: string,
    { realm = "fra", timeoutMs = 20_000, signal = new AbortController().signal } = {},
  ) => {
    const message = create(ScheduleDowntimeRequestSchema, { comment, author: "ann" });
    const result = await forwarder.forward(realm, {
      method: CommandService.method.scheduleDowntime,
      message,
      requestId: "r-1",
      timeoutMs,
      signal,
    });
    if (result.ok) return { ids: (result.value.message as { downtimeIds?: string[] }).downtimeIds };
    if (!(result.error instanceof ConnectError)) return { refusal: result.error };
    return { code: Code[result.error.code], message: result.error.rawMessage, error: result.error };
  };
  return { send, ended, end: () => ending.abort(), close: () => forwarder.close() };
}

test("a call carries the token, the request id and a deadline, and returns the answer", async () => {
  const on = open(urlOf(http));
  assert.deepEqual(await on.send("lunch"), { ids: ["d1"] });
  const last = seen.at(-1);
  assert.deepEqual([last?.authorization, last?.requestId, last?.author], ["Bearer tok-of-the-centre", "r-1", "ann"]);
  assert.ok(Number(last?.timeout) > 0);
  assert.deepEqual(
    on.ended.map(({ realm, code }) => [realm, code]),
    [["fra", "ok"]],
  );
  on.close();
});

test("[FE5] the realm's errors are returned with code, message and details, without its headers", async () => {
  const on = open(urlOf(http));
  const { code, message, error } = await on.send("bad");
  assert.deepEqual([code, message], ["InvalidArgument", "start: is unset"]);
  const passed = ConnectError.from(error);
  assert.equal(passed.findDetails(ConfigDiagnosticsSchema)[0]?.diagnostics[0]?.line, 3);
  assert.deepEqual([...passed.metadata], []);
  assert.equal((await on.send("full")).message, "the disk is full");
  on.close();
});

test("[FD26] an unlisted realm is missing", async () => {
  const on = open(urlOf(http));
  assert.deepEqual(await on.send("", { realm: "mars" }), { refusal: { kind: "missing", what: 'realm "mars"' } });
  on.close();
});

test("[FE3, FD26] an unreachable realm is unavailable with its name, and is not called", async () => {
  const on = open(urlOf(http), { silent: "has not been heard for 20 s" });
  const calls = seen.length;
  const { code, message } = await on.send("lunch");
  assert.deepEqual([code, message], ["Unavailable", 'realm "fra" has not been heard for 20 s']);
  assert.equal(seen.length, calls);
  on.close();
});

test("[FE3, FD26] a realm that refuses connections is unavailable, after three failures without a further attempt", async () => {
  const on = open(`http://127.0.0.1:${await freePort()}`);
  for (let i = 0; i < 3; i++) {
    const { code, message } = await on.send("lunch");
    assert.equal(code, "Unavailable");
    assert.match(message ?? "", /realm "fra" cannot be reached: .*ECONNREFUSED/);
  }
  assert.match((await on.send("lunch")).message ?? "", /did not answer the last calls/);
  on.close();
});

test("[FD86] a call that a restarted agent refuses is sent again when its heartbeat has arrived, also without a key", async () => {
  const heard = [
    { instance: "one", startedMs: 0 },
    { instance: "one", startedMs: 0 },
  ];
  const on = open(urlOf(http), { followed: () => heard.shift() ?? { instance: "two", startedMs: undefined } });
  assert.deepEqual(await on.send("restarted"), { ids: ["d1"] });
  on.close();
});

test("[FD86] the successor of the followed agent is called as soon as it has refused a call", async () => {
  const on = open(urlOf(http), { followed: () => ({ instance: "one", startedMs: 0 }) });
  assert.deepEqual(await on.send("successor"), { ids: ["d1"] });
  on.close();
});

test("[FD86] a call to an agent that is not followed ends with its refusal at the deadline", async () => {
  let [calls, passedMs] = [0, 0];
  const followed = () => {
    // The deadline comes while the third call is under way.
    if (++calls === 3) passedMs = 20_000;
    return { instance: "one", startedMs: 0 };
  };
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + passedMs };
  const on = open(urlOf(http), { followed, clock });
  const { code, message } = await on.send("restarted", { timeoutMs: 20_000 });
  assert.deepEqual([code, /instance two: .*was not executed/.test(message ?? "")], ["FailedPrecondition", true]);
  on.close();
});

test("[FD27] a deadline that passes after the call was sent reports an unknown outcome", async () => {
  const on = open(urlOf(http));
  const { code, message } = await on.send("hang", { timeoutMs: 1_000 });
  assert.equal(code, "DeadlineExceeded");
  assert.match(message ?? "", /realm "fra" did not answer within 1 s: the outcome is unknown/);
  on.close();
});

test("[FD27] a connection that breaks before an answer is an unknown outcome", async () => {
  const breaking = createTcp((socket) => socket.once("data", () => socket.destroy()));
  await new Promise<void>((resolve) => breaking.listen(0, "127.0.0.1", resolve));
  const on = open(urlOf(breaking));
  const { code, message } = await on.send("lunch");
  assert.equal(code, "DeadlineExceeded");
  assert.match(message ?? "", /the connection broke .*: the outcome is unknown/);
  on.close();
  breaking.close();
});

test("[FD26, FD27] a server at the url that is not a realm is unavailable; a gateway's failure is an unknown outcome", async () => {
  for (const [status, type, body, expected] of [
    [404, "text/html", "<p>no</p>", "Unavailable"],
    [503, "text/plain", "no server", "Unavailable"],
    [200, "text/html", "<p>hello</p>", "Unavailable"],
    [401, "application/json", "[]", "Unavailable"],
    [502, "text/plain", "bad gateway", "DeadlineExceeded"],
    [504, "text/html", "<p>time-out</p>", "DeadlineExceeded"],
    [502, "application/json", "{}", "DeadlineExceeded"],
  ] as const) {
    const other = createServer((_, response) => response.writeHead(status, { "content-type": type }).end(body));
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const on = open(urlOf(other));
    const { code, message } = await on.send("lunch");
    assert.equal(code, expected, `${status} ${message}`);
    assert.match(message ?? "", expected === "Unavailable" ? /no realm's API/ : /the outcome is unknown/);
    on.close();
    other.closeAllConnections();
    other.close();
  }
});

test("[FD27] calls that wait for a realm at shutdown have an unknown outcome", async () => {
  const on = open(urlOf(http));
  const before = seen.length;
  const answer = on.send("hang");
  await until("the realm has the call", () => seen.length > before);
  on.end();
  const { code, message } = await answer;
  assert.deepEqual([code, /this aggregator shuts down/.test(message ?? "")], ["DeadlineExceeded", true]);
  on.close();
});

test("a caller that disconnects cancels the call", async () => {
  const on = open(urlOf(http));
  assert.equal((await on.send("hang", { signal: AbortSignal.timeout(50) })).code, "Canceled");
  on.close();
});

/** Serves calls of a realm over NATS, as an agent does. */
function listenAsRealm(answer: (comment: string) => { code: string; message: string; ids: string[] }): () => void {
  const collectors = new Map<string, ReturnType<typeof natsRpcAssembler>>();
  return bus.subscribe("svc.v1.rpc.fra", (message) => {
    const reply = message.reply ?? "";
    const collector = collectors.get(reply) ?? natsRpcAssembler();
    collectors.set(reply, collector);
    const part = Object.fromEntries(
      [...(message.headers?.keys() ?? [])].map((name) => [name, message.headers?.get(name) ?? ""]),
    );
    const whole = collector.add({ headers: part, data: message.data });
    if (!whole.ok || whole.value === undefined) return;
    const call = decodeNatsRequest(whole.value);
    assert.ok(call.ok);
    const request = fromBinary(ScheduleDowntimeRequestSchema, call.value.body);
    seen.push({
      authorization: call.value.authorization,
      requestId: call.value.requestId,
      timeout: String(call.value.timeoutMs),
      author: request.author,
    });
    const { code, message: text, ids } = answer(request.comment);
    const body = toBinary(ScheduleDowntimeResponseSchema, create(ScheduleDowntimeResponseSchema, { downtimeIds: ids }));
    for (const one of encodeNatsResponse({
      code,
      message: text,
      details: [{ type: "svc.v1.X", value: new Uint8Array([1]) }],
      body,
    })) {
      const head = headers();
      for (const [name, value] of Object.entries(one.headers)) head.set(name, value);
      bus.publish(reply, one.data, head);
    }
  });
}

test("[FE5] a realm without a url is called over NATS; large calls and answers are sent in parts", async () => {
  const on = open("");
  assert.match((await on.send("lunch")).message ?? "", /realm "fra" does not listen on NATS/);
  const many = Array.from({ length: 60_000 }, (_, i) => `downtime-${i}`);
  const stop = listenAsRealm((comment) =>
    comment === "bad"
      ? { code: "not_found", message: "no such host", ids: [] }
      : { code: "ok", message: "", ids: comment.length > 10 ? many : ["d1"] },
  );
  assert.deepEqual(await on.send("lunch"), { ids: ["d1"] });
  assert.deepEqual([seen.at(-1)?.authorization, seen.at(-1)?.requestId], ["Bearer tok-of-the-centre", "r-1"]);
  assert.equal((await on.send("x".repeat(900_000))).ids?.length, many.length);
  const { code, message, error } = await on.send("bad");
  assert.deepEqual([code, message, error?.details.length], ["NotFound", "no such host", 1]);
  stop();
  on.close();
});

test("over NATS a passed deadline reports an unknown outcome too", async () => {
  const on = open("");
  const stop = bus.subscribe("svc.v1.rpc.fra", () => {});
  assert.equal((await on.send("lunch", { timeoutMs: 100 })).code, "DeadlineExceeded");
  stop();
  on.close();
});
