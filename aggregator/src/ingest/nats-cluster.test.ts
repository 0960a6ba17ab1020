import assert from "node:assert/strict";
import { test } from "node:test";
import { toBinary } from "@bufbuild/protobuf";
import { StateRowSchema } from "@realmwatch/proto/svc/v1/state_pb";
import { keyOf, refOf } from "@realmwatch/shared/model/object-key";
import { openMetrics } from "@realmwatch/shared/platform/metrics/metrics";
import { openNatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { rowFor } from "@realmwatch/shared/read-model/read-model.fixture";
import { stateRowToProto } from "@realmwatch/shared/row/state-row";
import { stateSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import { Ingest } from "./ingest.ts";
import { startNatsCluster } from "./nats-cluster.fixture.ts";
import { openStreamMonitor } from "./stream-monitor.ts";

const log = { info() {}, warn() {}, error() {} };
const clock = systemClock;
/** Time within which rows go on after the death of a server; an election of NATS takes up to 10 s of it. */
const goesOnWithinMs = 15_000;

const events = {
  onRejected() {},
  onWriteFailed() {},
  onUnlisted() {},
  onWritten() {},
  onStored() {},
  onForgotten() {},
};

test("a cluster of three keeps three replicas, and rows go on within 15 s after the death of any server", async (t) => {
  const cluster = await startNatsCluster(3);
  t.after(() => cluster[Symbol.asyncDispose]());
  // Streams that are made before have fewer replicas, which are raised within a minute.
  await until("the servers have a common leader", () => cluster.hasMetaGroup());
  const bus = openNatsBus({ url: cluster.url, credsFile: "", name: "test", clock, log });
  const metrics = openMetrics({ version: "0", commit: "unknown" });
  const monitor = openStreamMonitor({ bus, clock, log, metrics, replicas: undefined });
  const written = { shared: new Set<string>(), own: new Set<string>() };
  const ingestInto = (names: Set<string>, consumerPrefix: string | undefined) =>
    new Ingest({
      bus,
      clock,
      log,
      isListed: () => true,
      async write({ changes }) {
        for (const change of changes) if (change.kind === "put") names.add(refOf(change.row.about.key));
      },
      consumerPrefix,
      historyRetentionMs: 2 ** 42,
      events,
    });
  const ingests = [ingestInto(written.shared, "cluster"), ingestInto(written.own, undefined)];
  t.after(async () => {
    await Promise.all(ingests.map((ingest) => ingest.close()));
    await monitor.close();
    await bus.close();
    metrics.close();
  });

  const isWhole = async (): Promise<boolean> => {
    const jsm = (await bus.live()?.jetstreamManager({ timeout: 2_000 })) ?? assert.fail("not connected");
    const consumers = [];
    for (const name of ["SVC_STATE", "SVC_EVENTS"])
      for await (const consumer of jsm.consumers.list(name)) consumers.push(consumer);
    const areCurrent = consumers.every(({ cluster: group }) => (group?.replicas ?? []).every(({ current }) => current));
    return consumers.length >= 4 && areCurrent && cluster.hasWholeStreams(jsm);
  };
  const whole = () => until("both streams have three current replicas", isWhole, { withinMs: 60_000, everyMs: 200 });
  const publishRow = async (name: string): Promise<void> => {
    const row = rowFor("fra", name, { epoch: 1, revision: 1 });
    const data = toBinary(StateRowSchema, stateRowToProto(row, { realm: "fra", atMs: clock.now() }));
    await bus
      .live()
      ?.jetstream()
      .publish(stateSubject("fra", keyOf(name)), data, { timeout: 1_000 });
  };
  const arrives = (name: string) =>
    until(
      `row ${name} arrives at both`,
      async () => {
        if (!written.shared.has(name) && !written.own.has(name)) await publishRow(name);
        return written.shared.has(name) && written.own.has(name);
      },
      { withinMs: goesOnWithinMs, everyMs: 100, seen: () => [written, ingests.map((i) => i.error())] },
    );

  await whole();
  await arrives("first");
  for (const [name, server] of cluster.servers) {
    await server.stop("SIGKILL");
    await arrives(`after-${name}`);
    await server.restart();
    await whole();
  }
  await until("the streams have no problem", () => monitor.report().problems.length === 0, {
    seen: () => monitor.report(),
  });
});
