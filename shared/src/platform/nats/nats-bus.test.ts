import assert from "node:assert/strict";
import { test } from "node:test";
import { headers } from "nats";
import { eventStream, stateStream } from "../../wire/nats/nats-subjects.ts";
import { type NatsBus, openNatsBus } from "./nats-bus.ts";
import { ensureStreams } from "./nats-streams.ts";
import { startNatsServer } from "../process/spawned-server.ts";
import { systemClock } from "../system-clock.ts";

function open(url: string): { bus: NatsBus; warnings: string[] } {
  const warnings: string[] = [];
  const log = { info() {}, warn: (fields: unknown) => void warnings.push(JSON.stringify(fields)) };
  return { bus: openNatsBus({ url, credsFile: "", name: "test", clock: systemClock, log }), warnings };
}
const up = (bus: NatsBus): Promise<unknown> => new Promise((resolve) => bus.onUp(resolve));
const down = (bus: NatsBus): Promise<void> => new Promise((resolve) => bus.onDown(resolve));

test("[F08] a bus outlives its server: subscriptions deliver again after a restart", async () => {
  await using server = await startNatsServer();
  const { bus } = open(server.url);
  await up(bus);
  let heard: (text: string) => void = () => {};
  bus.subscribe("words.*", (message) => heard(message.string()));
  const next = () => new Promise<string>((resolve) => (heard = resolve));

  const first = next();
  assert.equal(bus.publish("words.a", Buffer.from("one"), headers()), true);
  assert.equal(await first, "one");

  const lost = down(bus);
  await server.stop("SIGKILL");
  await lost;
  assert.equal(bus.live(), undefined);
  assert.equal(bus.publish("words.a", Buffer.from("lost")), false);
  assert.notEqual(bus.trouble(), "");

  await server.restart();
  await up(bus);
  const second = next();
  bus.publish("words.a", Buffer.from("two"));
  assert.equal(await second, "two");
  assert.equal(bus.connections(), 2);
  await bus.close();
});

test("[F14] a refused login is told without the password and tried again", async () => {
  await using server = await startNatsServer(["--user", "ann", "--pass", "right-one"]);
  const { bus, warnings } = open(server.url.replace("//", "//ann:wrong-one@"));
  while (warnings.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.match(bus.trouble(), /authorization/i);
  assert.doesNotMatch(warnings.join(), /wrong-one/);
  await bus.close();

  const good = open(server.url.replace("//", "//ann:right-one@"));
  await up(good.bus);
  await good.bus.close();
});

test("an unusable URL shows as trouble and never throws", async () => {
  const { bus, warnings } = open("nats://");
  while (warnings.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.notEqual(bus.trouble(), "");
  await bus.close();
});

test("[F12] missing streams are created, existing ones kept, unusable ones told", async () => {
  await using server = await startNatsServer();
  const { bus } = open(server.url);
  await up(bus);
  const jsm = await bus.live()?.jetstreamManager();
  assert.ok(jsm);
  const plans = [stateStream, eventStream];
  assert.deepEqual(await ensureStreams(jsm, plans), []);
  assert.deepEqual(await ensureStreams(jsm, plans), []);
  await jsm.streams.delete(stateStream.name);
  await jsm.streams.add({ name: stateStream.name, subjects: ["svc.v1.state.>"] });
  assert.match((await ensureStreams(jsm, plans)).join("; "), /does not take svc\.v1\.catalog.*max_msgs_per_subject/);
  await bus.close();
});

test("[F10] a stream that the broker cannot hold in full is made smaller", async () => {
  await using server = await startNatsServer();
  const { bus } = open(server.url);
  await up(bus);
  const jsm = await bus.live()?.jetstreamManager();
  assert.ok(jsm);
  await ensureStreams(jsm, [{ ...stateStream, maxBytes: 2 ** 55 }]);
  const { config } = await jsm.streams.info(stateStream.name);
  assert.ok(config.max_bytes < 2 ** 55);
  await bus.close();
});
