import assert from "node:assert/strict";
import { test } from "node:test";
import { headers } from "nats";
import { startNatsServer } from "../process/spawned-server.ts";
import { systemClock } from "../system-clock.ts";
import { until } from "../testing/until.fixture.ts";
import { type NatsBus, openNatsBus } from "./nats-bus.ts";

function open(url: string): { bus: NatsBus; warnings: string[] } {
  const warnings: string[] = [];
  const log = { info() {}, warn: (fields: unknown) => void warnings.push(JSON.stringify(fields)) };
  return { bus: openNatsBus({ url, credsFile: "", name: "test", clock: systemClock, log }), warnings };
}
const up = (bus: NatsBus) => until("connected", () => bus.live(), { seen: bus.connectionError });

test("[NB1] subscriptions deliver again after the NATS server restarted", async () => {
  await using server = await startNatsServer();
  const { bus } = open(server.url);
  await up(bus);
  const received: string[] = [];
  bus.subscribe("words.*", (message) => received.push(message.string()));

  assert.equal(bus.publish("words.a", Buffer.from("one"), headers()), true);
  await until("the message", () => received.includes("one"));

  await server.stop("SIGKILL");
  await until("disconnected", () => bus.live() === undefined);
  assert.equal(bus.publish("words.a", Buffer.from("lost")), false);
  assert.notEqual(bus.connectionError(), "");

  await server.restart();
  await up(bus);
  bus.publish("words.a", Buffer.from("two"));
  await until("the second message", () => received.includes("two"));
  assert.deepEqual(received, ["one", "two"]);
  assert.equal(bus.connections(), 2);
  await bus.close();
});

test("[NB3] a refused login is logged without the password and retried", async () => {
  await using server = await startNatsServer(["--user", "ann", "--pass", "right-one"]);
  const { bus, warnings } = open(server.url.replace("//", "//ann:wrong-one@"));
  await until("a warning", () => warnings.length > 0);
  assert.match(bus.connectionError(), /authorization/i);
  assert.doesNotMatch(warnings.join(), /wrong-one/);
  await bus.close();

  const good = open(server.url.replace("//", "//ann:right-one@"));
  await up(good.bus);
  await good.bus.close();
});

test("an unusable URL is reported as a connection error and never throws", async () => {
  const { bus, warnings } = open("nats://");
  await until("a warning", () => warnings.length > 0);
  assert.notEqual(bus.connectionError(), "");
  await bus.close();
});
