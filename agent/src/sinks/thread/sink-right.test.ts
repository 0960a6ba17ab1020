import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { manualRight } from "../../platform/right/manual-right.fixture.ts";
import { httpSink, openSinkReceiver, openTestSinkHost, sinkFolder } from "../sinks.fixture.ts";
import { SinkRight } from "./sink-right.ts";

const settle = () => new Promise((resolve) => setImmediate(resolve));

test("[PA45] a batch fits only when its timeout does, counted from the question, however late the answer comes", async () => {
  const clock = manualClock();
  const right = new SinkRight({ clock, longestActionMs: 30_000, ask: () => {} });
  for (const [answerAfterMs, remainingMs, fits] of [
    [0, 30_000, true],
    [0, 29_999, false],
    [5_000, 34_999, false],
    [5_000, 35_000, true],
    [0, 0, false],
  ] as const) {
    const asked = right.fits();
    clock.advance(answerAfterMs);
    right.answered(remainingMs);
    assert.equal(await asked, fits, `${remainingMs} ms after ${answerAfterMs} ms`);
  }
});

test("[PA45] a right that is gained while the answer is on its way is not missed, and a stop ends the waiting", async () => {
  let questions = 0;
  const right = new SinkRight({ clock: manualClock(), longestActionMs: 30_000, ask: () => (questions += 1) });
  const stopping = new AbortController();
  const waiting = right.whenFits(stopping.signal);
  right.gained();
  right.answered(0);
  await settle();
  assert.equal(questions, 2);
  right.answered(0);
  await settle();
  assert.equal(questions, 2);
  stopping.abort();
  assert.equal(await waiting, false);
});

test("[PA45, PA44] a sink waits for the right and then goes on where it was, without a failure", async (t) => {
  const receiver = await openSinkReceiver(t);
  const right = manualRight(systemClock, { longestActionMs: 5_000, pagesWithoutRight: true });
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t), right });
  await host.configure(httpSink("s", receiver.url));
  host.point(1);
  await until("the first point arrived", () => receiver.values().length === 1);
  right.grant(4_000);
  host.point(2);
  await host.untilStatus("a point waits", "s", ({ queued }) => queued === 1);
  const asked = () => host.reports.filter(({ kind }) => kind === "right_wanted").length;
  await until("the right was asked for", () => asked() >= 2);
  host.point(3);
  await host.untilStatus(
    "two points wait",
    "s",
    ({ queued, failingSinceMs }) => queued === 2 && failingSinceMs === undefined,
  );
  assert.deepEqual(receiver.values(), [1]);
  right.grant(60_000);
  await until("all points arrived", () => receiver.values().length === 3);
  assert.deepEqual(receiver.values(), [1, 2, 3]);
});

test("[PA45] a stop without the right delivers nothing, and the next start repeats from the cursor", async (t) => {
  const receiver = await openSinkReceiver(t);
  const dataDir = sinkFolder(t);
  const sink = httpSink("s", receiver.url, { cursor: "s.cursor" });
  const right = manualRight(systemClock);
  const first = openTestSinkHost(t, { dataDir, right });
  await first.configure(sink);
  right.end();
  first.point(1);
  await first.untilStatus("a point waits", "s", ({ queued }) => queued === 1);
  await first.stop(100);
  assert.deepEqual(receiver.values(), []);
  const second = openTestSinkHost(t, { dataDir, right: manualRight(systemClock) });
  await second.configure(sink);
  await until("the point arrived", () => receiver.values().length === 1);
});

test("[PA41, PA45] a batch that takes longer than the longest action is broken off and offered again", async (t) => {
  let connections = 0;
  const silent = createServer((socket) => {
    socket.on("error", () => {});
    connections += 1;
  });
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  t.after(() => silent.close());
  const { port } = silent.address() as { port: number };
  const host = openTestSinkHost(t, {
    dataDir: sinkFolder(t),
    right: manualRight(systemClock, { longestActionMs: 50 }),
  });
  await host.configure(httpSink("s", `http://127.0.0.1:${port}`));
  host.point(1);
  await host.untilStatus("it fails", "s", ({ lastError }) => lastError === "not delivered within 0.05 s");
  assert.ok(connections >= 1);
});
