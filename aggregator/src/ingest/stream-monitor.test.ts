import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openMetrics } from "@realmwatch/shared/platform/metrics/metrics";
import { openNatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { startNatsServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { openStreamMonitor } from "./stream-monitor.ts";

test("streams are created and watched; at 80 % of the state stream the log and the report warn", async () => {
  await using server = await startNatsServer();
  const errors: string[] = [];
  const log = { info() {}, warn() {}, error: (fields: object) => void errors.push(JSON.stringify(fields)) };
  const bus = openNatsBus({ url: server.url, credsFile: "", name: "test", clock: systemClock, log });
  after(() => bus.close());
  const metrics = openMetrics({ version: "0", commit: "unknown" });
  const monitor = openStreamMonitor({ bus, clock: systemClock, log, metrics, replicas: undefined });
  after(() => monitor.close());
  const summary = "SVC_STATE is 0 % full, SVC_EVENTS is 0 % full, SVC_LEASE is 0 % full";
  await until("both streams exist", () => monitor.report().summary === summary, { seen: monitor.report });
  assert.deepEqual(monitor.report().problems, []);

  const connection = await until("connected", () => bus.live());
  const jsm = await connection.jetstreamManager();
  await jsm.streams.update("SVC_STATE", { max_bytes: 1024 ** 2 });
  await jsm.streams.update("SVC_EVENTS", { max_bytes: 1024 });
  await connection.jetstream().publish("svc.v1.event.fra", "x".repeat(900));
  await connection.jetstream().publish("svc.v1.state.fra.host.a", new Uint8Array(900 * 1024));
  await until("the warning", () => errors.length > 0);
  const [problem = ""] = monitor.report().problems;
  assert.match(problem, /^SVC_STATE is 87 % full \(1 of 1 MiB\) and refuses new rows when it is full/);
  assert.match(errors.join(), /SVC_STATE is 87 % full/);
  const { text } = await metrics.render();
  assert.match(text, /realmwatch_nats_stream_bytes\{stream="SVC_STATE"\} 921\d{3}/);
  assert.match(text, /realmwatch_nats_stream_max_bytes\{stream="SVC_STATE"\} 1048576/);
  assert.match(text, /realmwatch_nats_stream_problems 1/);

  await jsm.streams.delete("SVC_STATE");
  await until("the stream is created again", () => monitor.report().problems.length === 0);
  assert.deepEqual([errors.length, (await jsm.streams.info("SVC_STATE")).state.messages], [1, 0]);
  await server.stop("SIGKILL");
  await until("nothing is said of the streams", () => monitor.report().summary === "not known while NATS is away");
  await monitor.close();
  await bus.close();
  metrics.close();
});
