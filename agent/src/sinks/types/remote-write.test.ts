import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { fromBinary } from "@bufbuild/protobuf";
import { WriteRequestSchema } from "@realmwatch/proto/prometheus/v1/remote_pb";
import { RequestSchema } from "@realmwatch/proto/prometheus/v2/write_pb";
import type { HistoryRecord } from "@realmwatch/shared/model/history";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { uncompress } from "snappyjs";
import { openTestSinkHost, sinkFolder, sinkPlanOf } from "../sinks.fixture.ts";

/** Bytes of Prometheus' staleness marker as a double. */
const staleMarker = Buffer.from("020000000000f07f", "hex");

type Received = {
  readonly version: string;
  readonly hasMarker: boolean;
  readonly series: readonly { labels: string; values: readonly number[]; times: readonly number[] }[];
};

/** Receiver of remote write. `newest`: it takes 2.0. `refuse`: text of the refusal of a request, if any. */
async function openWriteReceiver(t: TestContext, newest: boolean, refuse: (values: number[]) => string = () => "") {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const bytes = uncompress(new Uint8Array(Buffer.concat(chunks)));
      const isNewer = String(request.headers["content-type"]).includes("write.v2");
      if (isNewer && !newest) return void response.writeHead(204).end();
      const series = isNewer ? decode2(bytes) : decode1(bytes);
      const refused = refuse(series.flatMap(({ values }) => values));
      if (refused !== "") return void response.writeHead(400).end(refused);
      const version = String(request.headers["x-prometheus-remote-write-version"]);
      received.push({ version, series, hasMarker: Buffer.from(bytes).includes(staleMarker) });
      response.writeHead(204, isNewer ? { "x-prometheus-remote-write-samples-written": series.length } : {}).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(t, () => {
    server.closeAllConnections();
    server.close();
  });
  const values = () => received.flatMap(({ series }) => series.flatMap((one) => one.values));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, values };
}

const decode1 = (bytes: Uint8Array) =>
  fromBinary(WriteRequestSchema, bytes).timeseries.map(({ labels, samples }) => ({
    labels: labels.map(({ name, value }) => `${name}=${value}`).join(),
    values: samples.map(({ value }) => value),
    times: samples.map(({ timestamp }) => Number(timestamp)),
  }));

function decode2(bytes: Uint8Array) {
  const { symbols, timeseries } = fromBinary(RequestSchema, bytes);
  return timeseries.map(({ labelsRefs, samples }) => ({
    labels: Array.from(
      { length: labelsRefs.length / 2 },
      (_, at) => `${symbols[labelsRefs[2 * at] ?? 0]}=${symbols[labelsRefs[2 * at + 1] ?? 0]}`,
    ).join(),
    values: samples.map(({ value }) => value),
    times: samples.map(({ timestamp }) => Number(timestamp)),
  }));
}

const remoteWriteSink = (url: string, more = {}) =>
  sinkPlanOf({ name: "s", type: "remote_write", url, cursor: "", ...more });

test("[SK15] labels are sorted and complete, and names and units are those of the page", async (t) => {
  const receiver = await openWriteReceiver(t, false);
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
  await host.configure(remoteWriteSink(receiver.url));
  host.point(5, { uom: "ms", warn: "@2:10" });
  await until("the series arrived", () => receiver.values().length >= 3);
  const object = "host=web1,label=n";
  assert.deepEqual(
    receiver.received.flatMap(({ series }) => series.map(({ labels, values }) => [labels, values])),
    [
      [`__name__=realmwatch_perfdata,${object},realm=fra,service=job,unit=seconds`, [0.005]],
      [
        `__name__=realmwatch_perfdata_threshold,alert=inside,bound=lower,${object},realm=fra,service=job,threshold=warn,unit=seconds`,
        [0.002],
      ],
      [
        `__name__=realmwatch_perfdata_threshold,alert=inside,bound=upper,${object},realm=fra,service=job,threshold=warn,unit=seconds`,
        [0.01],
      ],
    ],
  );
});

for (const newest of [false, true])
  test(`[SK15] a receiver that ${newest ? "takes" : "ignores"} 2.0 gets ${newest ? "2.0" : "1.0"}`, async (t) => {
    const receiver = await openWriteReceiver(t, newest);
    const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
    await host.configure(remoteWriteSink(receiver.url, { batchSize: 1 }));
    for (const value of [1, 2, 3]) host.point(value);
    await until("all samples arrived", () => receiver.values().length === 3);
    assert.deepEqual(receiver.values(), [1, 2, 3]);
    const versions = receiver.received.filter(({ series }) => series.length > 0).map(({ version }) => version);
    assert.deepEqual(versions, newest ? ["0.1.0", "2.0.0", "2.0.0"] : ["0.1.0", "0.1.0", "0.1.0"]);
  });

test("[SK15] a series that ends gets a staleness marker", async (t) => {
  const receiver = await openWriteReceiver(t, false);
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
  await host.configure(remoteWriteSink(receiver.url));
  host.point(1);
  host.noPoint();
  await until("the marker arrived", () => receiver.received.some(({ hasMarker }) => hasMarker));
  assert.deepEqual(receiver.values(), [1, Number.NaN]);
});

for (const newest of [false, true])
  test(`[SK25] events are samples at their times${newest ? ", in 2.0 too" : ""}, and each has a millisecond`, async (t) => {
    const receiver = await openWriteReceiver(t, newest);
    const history: HistoryRecord[] = [];
    const host = openTestSinkHost(t, { dataDir: sinkFolder(t), history });
    await host.configure(remoteWriteSink(receiver.url, { input: "events" }));
    const at = Date.now();
    const record = (atMs: number, more: Partial<HistoryRecord>): void => {
      history.push({ seq: history.length + 1, realm: "", atMs, type: "state", ...more });
    };
    const key = { kind: "service", host: "web1", name: "job" } as const;
    const state = { key, status: "critical", stateType: "hard", output: "not a label" } as const;
    for (const [atMs, more] of [[at], [at], [at + 5, { type: "config" }], [at - 5]] as const)
      record(atMs, more ?? state);
    host.event();
    const times = () =>
      Object.fromEntries(
        Object.entries(
          Object.groupBy(
            receiver.received.flatMap(({ series }) => series),
            ({ labels }) => labels,
          ),
        ).map(([labels, found = []]) => [labels, found.flatMap((one) => one.times.map((ms) => ms - at))]),
      );
    const [job, realm] = [
      "__name__=realmwatch_event,host=web1,realm=fra,service=job,state_type=hard,status=critical,type=state",
      "__name__=realmwatch_event,realm=fra,type=config",
    ];
    await until("the first batch arrived", () => receiver.values().length === 4);
    assert.deepEqual(times(), { [job]: [-5, 0, 1], [realm]: [5] });
    // In the next batch: one at the time of a sample, one shortly before it, and one long before it.
    for (const atMs of [at + 1, at - 900, at - 5_000]) record(atMs, state);
    host.event();
    await until("the second batch arrived", () => receiver.values().length === 7);
    assert.deepEqual(times(), { [job]: [-5, 0, 1, -5_000, 2, 3], [realm]: [5] });
    assert.deepEqual(new Set(receiver.values()), new Set([1]));
  });

test("[SK16] samples that are refused because of their time are dropped and counted, and the others of the batch delivered", async (t) => {
  const receiver = await openWriteReceiver(t, false, (values) =>
    values.some((value) => value % 10 === 3) ? "out of order sample" : "",
  );
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
  await host.configure(remoteWriteSink(receiver.url, { flushIntervalMs: 300 }));
  for (let value = 1; value <= 40; value += 1) host.point(value, { host: `h${value % 7}` });
  const { counts } = await host.untilStatus("all are settled", "s", (one) => one.counts.delivered === 36);
  assert.deepEqual(counts.dropped, { out_of_order: 4 });
  assert.equal(new Set(receiver.values()).size, 36);
});

test("[SK17] names with quotes, line feeds and backslashes stay label values", async (t) => {
  const receiver = await openWriteReceiver(t, false);
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
  await host.configure(remoteWriteSink(receiver.url));
  const hostile = 'web"1"\n\\,realm="x"}';
  host.point(1, { host: hostile });
  host.point(2, { host: "lone \ud800 surrogate" });
  await until("both arrived", () => receiver.values().length === 2);
  const labels = receiver.received.flatMap(({ series }) => series.map((one) => one.labels));
  assert.ok(labels.some((text) => text.includes(`,host=${hostile},label=n,`)));
  assert.ok(labels.some((text) => text.includes("lone \ufffd surrogate")));
});
