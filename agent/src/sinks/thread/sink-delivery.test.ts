import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import {
  foreignUrls,
  loopbackHosts,
  loopbackNetworks,
} from "@realmwatch/shared/platform/network/loopback-hosts.fixture";
import { parseOutboundDeny } from "@realmwatch/shared/platform/network/outbound-policy";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import {
  fileSink,
  httpSink,
  openSinkReceiver,
  openTestSinkHost,
  sinkFolder,
  sinkPlanOf,
  valuesOfLines,
} from "../sinks.fixture.ts";

const upTo = (last: number, first = 1): number[] => Array.from({ length: last - first + 1 }, (_, at) => first + at);

test("[SK4] a batch has at most batch_size entries and they arrive in order", async (t) => {
  const receiver = await openSinkReceiver(t);
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
  await host.configure(httpSink("s", receiver.url, { batchSize: 7 }));
  for (const value of upTo(30)) host.point(value);
  await until("all points arrived", () => receiver.values().length === 30);
  assert.deepEqual(receiver.values(), upTo(30));
  assert.ok(receiver.bodies.every((body) => valuesOfLines(body).length <= 7));
});

test("[SK1] a selector chooses the objects whose data is delivered", async (t) => {
  const receiver = await openSinkReceiver(t);
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
  await host.configure(httpSink("s", receiver.url, { selector: "app=web2" }));
  for (const value of upTo(20)) host.point(value, { host: value % 2 === 0 ? "web2" : "web1" });
  await until("the points arrived", () => receiver.values().length === 10);
  assert.deepEqual(
    receiver.values(),
    upTo(20).filter((value) => value % 2 === 0),
  );
  await host.untilStatus("nothing waits", "s", ({ queued }) => queued === 0);
});

test("[SK2] a sink with a cursor resumes after a restart where it was, and one without begins with new entries", async (t) => {
  const dataDir = sinkFolder(t);
  const [kept, fresh] = [await openSinkReceiver(t), await openSinkReceiver(t)];
  const first = openTestSinkHost(t, { dataDir });
  await first.configure(
    httpSink("kept", "http://127.0.0.1:1", { cursor: "kept.cursor" }),
    httpSink("fresh", "http://127.0.0.1:1"),
  );
  for (const value of upTo(5)) first.point(value);
  await first.untilStatus("points wait", "kept", ({ queued }) => queued === 5);
  await first.stop(100);
  const second = openTestSinkHost(t, { dataDir });
  await second.configure(httpSink("kept", kept.url, { cursor: "kept.cursor" }), httpSink("fresh", fresh.url));
  for (const value of upTo(8, 6)) second.point(value);
  await until("all points arrived", () => kept.values().length === 8 && fresh.values().length === 3);
  assert.deepEqual(kept.values(), upTo(8));
  assert.deepEqual(fresh.values(), upTo(8, 6));
});

test("[SK2] points of commands that the log lacked at a kill are delivered, and those that it had are not added again", async (t) => {
  const dataDir = sinkFolder(t);
  const receiver = await openSinkReceiver(t);
  const sink = httpSink("s", receiver.url, { cursor: "s.cursor" });
  // The agent was killed before the thread of the sinks had run: the sink has no cursor yet.
  const first = openTestSinkHost(t, { dataDir, recovered: [1, 2, 3] });
  await first.configure(sink);
  await until("the recovered points arrive", () => receiver.values().length === 3);
  await until("the commands are reported as logged", () =>
    first.reports.some((report) => report.kind === "logged" && report.commandSeq === 3),
  );
  await first.stop();
  const second = openTestSinkHost(t, { dataDir, recovered: [1, 2, 3, 4] });
  await second.configure(sink);
  second.point(5);
  await until("the last point arrives", () => receiver.values().includes(5));
  assert.deepEqual(receiver.values(), [1, 2, 3, 4, 5]);
});

test("[SK3] a file of another kind under the name of a cursor is not overwritten", async (t) => {
  const dataDir = sinkFolder(t);
  writeFileSync(join(dataDir, "notes.txt"), "keep me");
  const receiver = await openSinkReceiver(t);
  const host = openTestSinkHost(t, { dataDir });
  await host.configure(httpSink("s", receiver.url, { cursor: "notes.txt" }));
  host.point(1);
  await until("the point arrived", () => receiver.values().length === 1);
  await host.stop();
  assert.equal(readFileSync(join(dataDir, "notes.txt"), "utf8"), "keep me");
  assert.ok(
    host.reports.some((report) => report.kind === "log" && /not the cursor/.test(String(report.fields["why"]))),
  );
});

for (const status of [400, 401, 404, 413, 422])
  test(`[SK6] a batch that is answered with ${status} is dropped, logged and counted`, async (t) => {
    const receiver = await openSinkReceiver(t, (body) => (valuesOfLines(body).includes(1) ? status : 200));
    const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
    await host.configure(httpSink("s", receiver.url, { batchSize: 1 }));
    for (const value of upTo(3)) host.point(value);
    await until("the others arrived", () => receiver.values().length === 2);
    const { counts } = await host.untilStatus("it is counted", "s", (one) => one.counts.delivered === 2);
    assert.deepEqual([counts.dropped, counts.failed], [{ refused: 1 }, { refused: 1 }]);
    assert.ok(
      host.reports.some((report) => report.kind === "log" && report.text === "sink dropped a batch that was refused"),
    );
  });

for (const status of [408, 425, 429, 500, 503, 302])
  test(`[SK7] a batch that is answered with ${status} is tried again`, async (t) => {
    let requests = 0;
    const receiver = await openSinkReceiver(t, () => {
      requests += 1;
      return requests === 1 ? { status, headers: { "retry-after": "0" } } : 200;
    });
    const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
    await host.configure(httpSink("s", receiver.url));
    host.point(1);
    await until("the point arrived", () => receiver.values().length === 1);
    const { counts, lastError } = await host.untilStatus("it is counted", "s", (one) => one.counts.delivered === 1);
    assert.deepEqual(counts.dropped, {});
    assert.equal(lastError, "");
  });

test("[SK9] hostile receivers delay no other sink, and lose nothing when they recover", async (t) => {
  let isHostile = true;
  const open = async (hostile: Parameters<typeof createServer>[1]) => {
    let text = "";
    const server = createServer((request, response) => {
      if (isHostile) return hostile?.(request, response);
      let body = "";
      request.on("data", (chunk) => (body += chunk));
      request.on("end", () => {
        text += body;
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    atEnd(t, () => {
      server.closeAllConnections();
      server.close();
    });
    const values = () => valuesOfLines(text);
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, values, server };
  };
  const chunk = Buffer.alloc(65_536, "x");
  const receivers = {
    hangs: await open(() => {}),
    drips: await open((_request, response) => {
      const timer = setInterval(() => response.write("x"), 50);
      response.writeHead(500).on("close", () => clearInterval(timer));
    }),
    resets: await open((request) => request.socket.resetAndDestroy()),
    pours: await open((_request, response) => {
      const pour = (): void => {
        while (!response.destroyed && response.write(chunk));
      };
      response
        .writeHead(500)
        .on("drain", pour)
        .on("error", () => {});
      pour();
    }),
  };
  const healthy = await openSinkReceiver(t);
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
  await host.configure(
    httpSink("healthy", healthy.url),
    ...Object.entries(receivers).map(([name, { url }]) => httpSink(name, url)),
  );
  for (const value of upTo(20)) host.point(value);
  await until("the healthy sink delivers", () => healthy.values().length === 20);
  for (const name of ["drips", "resets", "pours"])
    await host.untilStatus(
      `${name} fails`,
      name,
      ({ failingSinceMs, queued }) => failingSinceMs !== undefined && queued > 0,
    );
  await host.untilStatus("hangs waits", "hangs", ({ queued }) => queued === 20);
  isHostile = false;
  for (const { server } of Object.values(receivers)) server.closeAllConnections();
  for (const [name, { values }] of Object.entries(receivers))
    await until(`${name} recovers`, () => new Set(values()).size === 20, { seen: () => values() });
});

test("[SK10] a changed sink goes on where it was: nothing is lost and nothing delivered twice", async (t) => {
  const [before, after] = [await openSinkReceiver(t), await openSinkReceiver(t)];
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
  for (let round = 0; round < 10; round += 1) {
    await host.configure(httpSink("s", round % 2 === 0 ? before.url : after.url, { flushIntervalMs: 5 + round }));
    for (const value of upTo(10)) host.point(round * 10 + value);
  }
  const all = () => [...before.values(), ...after.values()].sort((a, b) => a - b);
  await until("all points arrived", () => all().length >= 100);
  assert.deepEqual(all(), upTo(100));
});

test("[SK10] while one sink of a reload still delivers, a new sink misses no entry and a changed one loses none", async (t) => {
  const [added, moved] = [await openSinkReceiver(t), await openSinkReceiver(t)];
  let release = (): void => {};
  const server = createServer((_request, response) => {
    release = () => void response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(t, () => server.close());
  const slow = httpSink("slow", `http://127.0.0.1:${(server.address() as AddressInfo).port}`, { batchSize: 1 });
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
  await host.configure(slow, httpSink("moved", "http://127.0.0.1:1"));
  host.point(1);
  await host.untilStatus("the other sink waits", "moved", ({ failingSinceMs }) => failingSinceMs !== undefined);
  const configured = host.configure(httpSink("added", added.url), httpSink("moved", moved.url));
  host.point(2);
  const reported = () => host.reports.filter(({ kind }) => kind === "status").length;
  const before = reported();
  await until("the log was trimmed", () => reported() > before + 1);
  host.point(3);
  release();
  await configured;
  await until("all points arrived", () => added.values().length >= 2 && moved.values().length >= 3, {
    seen: () => [added.values(), moved.values()],
  });
  assert.deepEqual([added.values(), moved.values()], [upTo(3, 2), upTo(3)]);
});

test("[SK11] the ends of series are not points of lines", async (t) => {
  const path = join(sinkFolder(t), "out");
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
  await host.configure(fileSink("s", path));
  host.point(1);
  host.noPoint();
  host.point(2);
  await until(
    "both points are there",
    () => existsSync(path) && valuesOfLines(readFileSync(path, "utf8")).length === 2,
  );
});

test("[SK12, PT9] a sink opens no connection to a denied address, in whatever form it is given", async (t) => {
  const receiver = await openSinkReceiver(t);
  const policy = parseOutboundDeny(loopbackNetworks);
  assert.ok(policy.ok);
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t), outbound: policy.value });
  const urls = loopbackHosts.map((each) => receiver.url.replace("127.0.0.1", each));
  await host.configure(...urls.map((url, at) => httpSink(`s${at}`, url)));
  host.point(1);
  for (const [at, url] of urls.entries()) {
    const { lastError } = await host.untilStatus(`${url} fails`, `s${at}`, (status) => status.lastError !== "");
    assert.match(lastError, /denied by -outbound-deny/, url);
  }
  assert.deepEqual(receiver.bodies, []);
});

test("[SK12] a sink whose URL is neither http nor https fails and fetches nothing", async (t) => {
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
  const [file = ""] = foreignUrls;
  const sinks = [
    ...foreignUrls.map((url, at) => httpSink(`s${at}`, url)),
    sinkPlanOf({ name: "otlp", type: "otlp", url: file, headers: {} }),
    sinkPlanOf({ name: "remote", type: "remote_write", url: file }),
    sinkPlanOf({ name: "db", type: "columnar_db", url: file, table: "perfdata" }),
  ];
  await host.configure(...sinks);
  host.point(1);
  for (const sink of sinks) {
    const status = await host.untilStatus(`${sink.name} fails`, sink.name, ({ lastError }) => lastError !== "");
    assert.match(status.lastError, /not an http or https URL/, JSON.stringify(sink));
    assert.equal(status.counts.delivered, 0);
  }
});
