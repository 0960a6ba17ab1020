import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openMetricStore } from "@realmwatch/agent/metric-store/metric-store";
import {
  fileSink,
  openTestSinkHost,
  sinkFolder,
  sinkPlanOf,
  valuesOfLines,
} from "@realmwatch/agent/sinks/sinks.fixture";
import { perfPoint } from "@realmwatch/shared/model/perfdata";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { memoryDisk, mountSkipReason } from "./test-disks.ts";

const skip = mountSkipReason;
const patient = { withinMs: 60_000, everyMs: 50 };
const upTo = (last: number): number[] => Array.from({ length: last }, (_, at) => at + 1);
const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, "utf8") : "");

test("[SK20] a file sink on a full disk keeps its points and writes each once when there is space", {
  skip,
}, async (t) => {
  const disk = memoryDisk(t, 2);
  if (disk === undefined) return t.skip("no disk can be mounted");
  const path = join(disk.dir, "out");
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
  await host.configure(fileSink("s", path, { batchSize: 100 }), fileSink("other", join(sinkFolder(t), "out")));
  host.point(1);
  await host.untilStatus("the first point is delivered", "s", ({ counts }) => counts.delivered === 1);
  disk.fill();
  // More than the rest of the file's last page holds, so that a batch fails in its middle.
  for (let value = 2; value <= 200; value += 1) host.point(value);
  const failing = await host.untilStatus("the sink fails", "s", ({ failingSinceMs }) => failingSinceMs !== undefined);
  assert.equal(failing.lastError, "the disk is full");
  assert.ok((failing.counts.failed.disk ?? 0) > 0);
  await host.untilStatus("the other sink has all points", "other", ({ counts }) => counts.delivered === 200);
  assert.ok(textOf(path).endsWith("\n"), "no line is written in part");
  disk.empty();
  await host.untilStatus("the sink has caught up", "s", ({ counts }) => counts.delivered === 200);
  assert.deepEqual(valuesOfLines(textOf(path)), upTo(200));
});

test("[SK20] a folder archive on a full disk keeps its events and writes each once when there is space", {
  skip,
}, async (t) => {
  const disk = memoryDisk(t, 2);
  if (disk === undefined) return t.skip("no disk can be mounted");
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
  await host.configure(
    sinkPlanOf({ name: "a", type: "archive", url: `file://${disk.dir}/archive`, segmentBytes: 4_096, input: "events" }),
  );
  const outputs = upTo(60).map((value) => `event ${value}`);
  host.event(...outputs.slice(0, 5));
  await host.untilStatus("the first events are delivered", "a", ({ counts }) => counts.delivered === 5);
  disk.fill();
  host.event(...outputs.slice(5));
  const failing = await host.untilStatus("the sink fails", "a", ({ failingSinceMs }) => failingSinceMs !== undefined);
  assert.equal(failing.lastError, "the disk is full");
  disk.empty();
  await host.untilStatus("the sink has caught up", "a", ({ counts }) => counts.delivered === 60);
  const text = readdirSync(join(disk.dir, "archive"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ndjson"))
    .sort()
    .map((name) => textOf(join(disk.dir, "archive", name)))
    .join("");
  const written = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => (JSON.parse(line) as { output: string }).output);
  assert.deepEqual(written, outputs);
});

test("[SK20] while the disk of the log is full the sinks deliver from memory, and a restart repeats nothing that was stored", {
  skip,
}, async (t) => {
  const disk = memoryDisk(t, 2);
  if (disk === undefined) return t.skip("no disk can be mounted");
  const path = join(sinkFolder(t), "out");
  const plan = fileSink("s", path, { cursor: "s.cursor" });
  const host = openTestSinkHost(t, { dataDir: disk.dir });
  await host.configure(plan);
  host.point(1);
  await host.untilStatus("the first point is delivered", "s", ({ counts }) => counts.delivered === 1);
  disk.fill();
  for (let value = 2; value <= 50; value += 1) {
    host.point(value);
    await until(`point ${value} is delivered`, () => valuesOfLines(textOf(path)).at(-1) === value, patient);
  }
  const told = (text: RegExp): boolean =>
    host.reports.some((report) => report.kind === "log" && text.test(report.text));
  assert.ok(told(/^the log of the sinks cannot be written/));
  disk.empty();
  host.point(51);
  await until("the last point is delivered", () => valuesOfLines(textOf(path)).at(-1) === 51, patient);
  await host.stop();
  assert.deepEqual(valuesOfLines(textOf(path)), upTo(51));
  const next = openTestSinkHost(t, { dataDir: disk.dir });
  await next.configure(plan);
  next.point(52);
  await until("the point after the restart is delivered", () => valuesOfLines(textOf(path)).at(-1) === 52, patient);
  assert.deepEqual(valuesOfLines(textOf(path)), upTo(52));
});

test("[MT12] on a full disk recorded points stay in memory, and are stored when there is space", {
  skip,
}, async (t) => {
  const disk = memoryDisk(t, 2);
  if (disk === undefined) return t.skip("no disk can be mounted");
  const states: string[] = [];
  const open = async () => {
    const opened = await openMetricStore({
      dataDir: disk.dir,
      clock: systemClock,
      retentionMs: 30 * 86_400_000,
      maxBytes: 4 * 1024 ** 3,
      onWriteState: (error) => states.push(error),
    });
    return opened.ok ? opened.value.store : assert.fail(opened.error);
  };
  const store = await open();
  const startMs = Math.floor(Date.now() / 1000) * 1000 - 3_600_000;
  const record = (value: number): void =>
    store.record({
      ref: "web1",
      atMs: startMs + value * 10_000,
      perfdata: [perfPoint("n", value)],
    });
  const values = async (from: Awaited<ReturnType<typeof open>>): Promise<number[]> => {
    const found = await from.points({ ref: "web1", label: "n", range: { fromMs: 0, toMs: Date.now() }, stepMs: 0 });
    return found.ok ? (found.value[0]?.points ?? []).map(({ value }) => value) : assert.fail();
  };
  for (const value of upTo(30)) record(value);
  assert.deepEqual(await values(store), upTo(30));
  disk.fill();
  for (let value = 31; value <= 100; value += 1) {
    record(value);
    // A query sends what was recorded, so that each write is tried.
    assert.equal((await values(store)).at(-1), value);
  }
  await until("the failure is reported", () => states.length === 1, patient);
  assert.match(states[0] ?? "", /full/);
  assert.deepEqual(await values(store), upTo(100));
  disk.empty();
  for (let value = 101; value <= 130; value += 1) record(value);
  assert.deepEqual(await values(store), upTo(130));
  await until("the recovery is reported", () => states.at(-1) === "", patient);
  await store.close();
  const again = await open();
  assert.deepEqual(await values(again), upTo(130));
  await again.close();
});
