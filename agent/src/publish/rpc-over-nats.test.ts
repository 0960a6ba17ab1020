import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openNatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { startNatsServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import {
  type DispatchedResponse,
  decodeNatsResponse,
  encodeNatsRequest,
  type NatsRpcPart,
  type NatsRpcRequest,
  natsRpcAssembler,
  natsRpcHeaders,
} from "@realmwatch/shared/wire/nats/nats-rpc";
import { connect, createInbox, headers, type NatsConnection } from "nats";
import { serveRpcOverNats } from "./rpc-over-nats.ts";

const bytes = (n: number): Uint8Array => new Uint8Array(n).map((_, i) => i % 249);
const call = (more: Partial<NatsRpcRequest> = {}): NatsRpcRequest => ({
  method: "svc.v1.CommandService/AddComment",
  authorization: "Bearer t",
  requestId: "q1",
  timeoutMs: 5_000,
  body: bytes(10),
  ...more,
});

/** Sends a call as an aggregator does. */
async function ask(connection: NatsConnection, parts: readonly NatsRpcPart[]): Promise<DispatchedResponse> {
  const reply = createInbox();
  const answers = connection.subscribe(reply);
  for (const part of parts) {
    const given = headers();
    for (const [name, value] of Object.entries(part.headers)) given.set(name, value);
    connection.publish("svc.v1.rpc.r", part.data, { reply, headers: given });
  }
  const collector = natsRpcAssembler();
  for await (const { headers: given, data } of answers) {
    const read = natsRpcHeaders.flatMap((name) => (given?.has(name) ? [[name, given.get(name)]] : []));
    const taken = collector.add({ headers: Object.fromEntries(read), data });
    if (!taken.ok) assert.fail(taken.error);
    if (!taken.value) continue;
    answers.unsubscribe();
    const answer = decodeNatsResponse(taken.value);
    if (!answer.ok) assert.fail(answer.error);
    return answer.value;
  }
  return assert.fail("no answer");
}

test("[FD60] an agent that is not followed answers no call but one that names it", async () => {
  await using server = await startNatsServer();
  const log = { info() {}, warn() {}, error() {} };
  const agents = [
    { own: "one", held: false },
    { own: "two", held: true },
  ].map(({ own, held }) => {
    const bus = openNatsBus({ url: server.url, credsFile: "", name: own, clock: systemClock, log });
    after(() => bus.close());
    serveRpcOverNats({
      ...{ bus, clock: systemClock, log, realm: "r", instance: own, isHeld: () => held },
      async answer() {
        answered.push(own);
        return { code: "ok", message: "", details: [], body: new TextEncoder().encode(own) };
      },
    });
    return bus;
  });
  const answered: string[] = [];
  for (const bus of agents) {
    await until("connected to NATS", () => bus.live());
    await bus.live()?.flush();
  }
  const connection = await connect({ servers: server.url });
  after(() => connection.close());
  for (const instance of ["one", "before-one", undefined]) {
    const { code, body } = await ask(connection, encodeNatsRequest(call({ instance })));
    assert.deepEqual([code, new TextDecoder().decode(body)], ["ok", "one"], `call for ${instance}`);
  }
  await Promise.all(agents.map((bus) => bus.live()?.flush()));
  assert.deepEqual(answered, ["one", "one", "one"]);
  await ask(connection, encodeNatsRequest(call({ instance: "two" })));
  await until("the named one answers", () => answered.includes("two"));
  await connection.close();
  await Promise.all(agents.map((bus) => bus.close()));
});

test("calls over NATS: small, in parts, refused, failing and malformed", async () => {
  await using server = await startNatsServer();
  const log = { info() {}, warn() {}, error() {} };
  const bus = openNatsBus({ url: server.url, credsFile: "", name: "agent", clock: systemClock, log });
  after(() => bus.close());
  const taken: NatsRpcRequest[] = [];
  const held = false;
  const refused = {
    code: "not_found",
    message: 'host "x" does not exist\nnor does "y"',
    details: [{ type: "svc.v1.ConfigDiagnostics", value: bytes(300) }],
    body: new Uint8Array(),
  };
  const stop = serveRpcOverNats({
    bus,
    clock: systemClock,
    log,
    realm: "r",
    instance: "one",
    isHeld: () => held,
    async answer(given) {
      taken.push(given);
      if (given.method.endsWith("Refuse")) return refused;
      if (given.method.endsWith("Break")) throw new Error("a secret detail");
      return { code: "ok", message: "", details: [], body: given.body };
    },
  });
  await until("connected to NATS", () => bus.live());
  await bus.live()?.flush();
  const connection = await connect({ servers: server.url });
  after(() => connection.close());

  const echo = await ask(connection, encodeNatsRequest(call()));
  assert.deepEqual([echo.code, [...echo.body]], ["ok", [...bytes(10)]]);
  assert.deepEqual({ ...taken[0], body: [] }, { ...call(), body: [] });

  const large = bytes(3_000_000);
  const [one, two] = await Promise.all([
    ask(connection, encodeNatsRequest(call({ body: large }))),
    ask(connection, encodeNatsRequest(call({ body: large.subarray(1) }))),
  ]);
  assert.ok(Buffer.from(one.body).equals(large));
  assert.equal(two.body.length, large.length - 1);

  const no = await ask(connection, encodeNatsRequest(call({ method: "svc.v1.X/Refuse" })));
  assert.deepEqual(
    { ...no, details: no.details.map((d) => ({ ...d, value: [...d.value] })) },
    { ...refused, details: [{ type: "svc.v1.ConfigDiagnostics", value: [...bytes(300)] }] },
  );
  const broken = await ask(connection, encodeNatsRequest(call({ method: "svc.v1.X/Break" })));
  assert.deepEqual([broken.code, broken.message], ["internal", "internal error"]);
  assert.equal((await ask(connection, [{ headers: {}, data: bytes(1) }])).code, "invalid_argument");
  assert.equal((await ask(connection, [{ headers: { part: "2/2" }, data: bytes(1) }])).code, "resource_exhausted");

  await ask(connection, encodeNatsRequest(call({ timeoutMs: 0 })));
  assert.equal(taken.at(-1)?.timeoutMs, 30_000, "a call without a deadline gets the default timeout");
  stop();
  await connection.close();
  await bus.close();
});
