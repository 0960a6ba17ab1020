import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import type { HistoryRecord } from "@realmwatch/shared/model/history";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { openSegment } from "../archive/segments.ts";
import { openTestSinkHost, sinkFolder, sinkPlanOf } from "../sinks.fixture.ts";

const archiveSink = (url: string, more = {}) =>
  sinkPlanOf({ name: "s", type: "archive", url, input: "events", segmentBytes: 67_108_864, ...more });
const segments = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ndjson"))
    .sort();
const idsIn = (text: string): number[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Number((JSON.parse(line) as { id: string }).id));
const idsOf = (folder: string): number[] =>
  segments(folder).flatMap((name) => idsIn(readFileSync(join(folder, name), "utf8")));
/** Dates of today and tomorrow in UTC: the events of a test that runs at midnight may be of either. */
const dates = (): string[] =>
  [0, 86_400_000].map((aheadMs) => new Date(Date.now() + aheadMs).toISOString().slice(0, 10));
const upTo = (last: number): number[] => Array.from({ length: last }, (_, at) => at + 1);

test("[SK18] segments of a folder are closed at their size and together have every event once, in order", async (t) => {
  const folder = join(sinkFolder(t), "archive");
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
  await host.configure(archiveSink(`file://${folder}`, { segmentBytes: 2_000, batchSize: 3 }));
  for (const seq of upTo(50)) host.event(`output ${seq}`);
  await host.untilStatus("all are delivered", "s", ({ counts }) => counts.delivered === 50);
  assert.deepEqual(idsOf(folder), upTo(50));
  assert.ok(segments(folder).length > 3);
  assert.match(segments(folder)[0] as string, /^fra\/\d{4}-\d\d-\d\d\/0000000000000001\.ndjson$/);
});

test("[SK18] a batch larger than a segment is divided, and a failure in the middle repeats no event", async (t) => {
  const folder = join(sinkFolder(t), "archive");
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
  await host.configure(archiveSink(`file://${folder}`, { segmentBytes: 1_000 }));
  host.event(...upTo(20).map(() => "x".repeat(100)));
  await host.untilStatus("all are delivered", "s", ({ counts }) => counts.delivered === 20);
  assert.deepEqual(idsOf(folder), upTo(20));
  const names = segments(folder);
  for (const name of names) assert.ok(statSync(join(folder, name)).size <= 1_000, name);
  assert.ok(names.length >= 5);

  const again = join(sinkFolder(t), "archive");
  const links = dates().map((date) => join(again, "fra", date, basename(names[2] as string)));
  for (const link of links) {
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync("/tmp/should-not-be-written", link);
  }
  const second = openTestSinkHost(t, { dataDir: sinkFolder(t) });
  await second.configure(archiveSink(`file://${again}`, { segmentBytes: 1_000 }));
  second.event(...upTo(20).map(() => "x".repeat(100)));
  await second.untilStatus("the third segment fails", "s", ({ failingSinceMs }) => failingSinceMs !== undefined);
  for (const link of links) rmSync(link);
  await second.untilStatus("all are delivered", "s", ({ counts }) => counts.delivered === 20);
  assert.deepEqual(idsOf(again), upTo(20));
});

test("[SK18] an event larger than a segment has one of its own", async (t) => {
  const folder = join(sinkFolder(t), "archive");
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
  await host.configure(archiveSink(`file://${folder}`, { segmentBytes: 10 }));
  host.event("a", "b", "c");
  await host.untilStatus("all are delivered", "s", ({ counts }) => counts.delivered === 3);
  assert.deepEqual(idsOf(folder), upTo(3));
  assert.equal(segments(folder).length, 3);
});

test("[SK18] after a crash the open segment is continued: a torn line is removed and no event written twice", async (t) => {
  const [folder, dataDir] = [join(sinkFolder(t), "archive"), sinkFolder(t)];
  const history: HistoryRecord[] = [];
  const first = openTestSinkHost(t, { dataDir, history });
  await first.configure(archiveSink(`file://${folder}`));
  for (const seq of upTo(5)) first.event(`output ${seq}`);
  await first.untilStatus("all are delivered", "s", ({ counts }) => counts.delivered === 5);
  await first.stop();
  const [segment = ""] = segments(folder);
  appendFileSync(join(folder, segment), '{"id":"6","at":');
  // The process died before it stored its cursor.
  rmSync(join(dataDir, "sinks", "s.cursor"));
  appendFileSync(join(dataDir, "sinks", "s.cursor"), '{"format":"realmwatch-sink-cursor","events":2}');
  const second = openTestSinkHost(t, { dataDir, history });
  await second.configure(archiveSink(`file://${folder}`));
  second.event("output 6", "output 7");
  await until("all events are there", () => idsOf(folder).length >= 7);
  assert.deepEqual(idsOf(folder), upTo(7));
  assert.equal(segments(folder).length, 1);
});

test("[SK18] a link in place of a segment is refused", async (t) => {
  const folder = join(sinkFolder(t), "archive");
  for (const date of dates()) {
    const day = join(folder, "fra", date);
    mkdirSync(day, { recursive: true });
    symlinkSync("/tmp/should-not-be-written", join(day, "0000000000000001.ndjson"));
  }
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
  await host.configure(archiveSink(`file://${folder}`));
  host.event("output 1");
  const { lastError } = await host.untilStatus("it fails", "s", ({ failingSinceMs }) => failingSinceMs !== undefined);
  assert.match(lastError, /symbolic link/);
});

test("[SK18] a link in place of a folder of the archive is refused, so that no segment is written elsewhere", async (t) => {
  const [folder, elsewhere] = [sinkFolder(t), sinkFolder(t)];
  mkdirSync(join(folder, "fra"));
  for (const date of dates()) symlinkSync(elsewhere, join(folder, "fra", date));
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
  await host.configure(archiveSink(`file://${folder}`));
  host.event("output 1");
  const { lastError } = await host.untilStatus("it fails", "s", ({ failingSinceMs }) => failingSinceMs !== undefined);
  assert.match(lastError, /symbolic link/);
  assert.deepEqual(readdirSync(elsewhere), []);
});

test("[SK18] a hard link in place of a segment is refused, so that no other file is cut or appended to", async (t) => {
  const [folder, elsewhere] = [sinkFolder(t), sinkFolder(t)];
  const victim = join(elsewhere, "victim");
  writeFileSync(victim, "not a line of the archive");
  for (const date of dates()) {
    mkdirSync(join(folder, "fra", date), { recursive: true });
    linkSync(victim, join(folder, "fra", date, "0000000000000001.ndjson"));
  }
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
  await host.configure(archiveSink(`file://${folder}`));
  host.event("output 1");
  const { lastError } = await host.untilStatus("it fails", "s", ({ failingSinceMs }) => failingSinceMs !== undefined);
  assert.match(lastError, /hard links/);
  assert.equal(readFileSync(victim, "utf8"), "not a line of the archive");
});

test("[SK18] a folder that is exchanged with a link while a segment is opened leads nothing elsewhere", async (t) => {
  const [folder, elsewhere] = [sinkFolder(t), sinkFolder(t)];
  mkdirSync(join(elsewhere, "day"));
  const path = join(folder, "day", "1.ndjson");
  const attack = `const { renameSync, symlinkSync, unlinkSync } = require("node:fs");
    const [day, away, elsewhere] = process.argv.slice(1);
    for (;;) try { renameSync(day, away); symlinkSync(elsewhere, day); unlinkSync(day); renameSync(away, day); } catch {}`;
  mkdirSync(dirname(path));
  const args = ["-e", attack, dirname(path), join(folder, "away"), join(elsewhere, "day")];
  const attacker = spawn(process.execPath, args, { stdio: "ignore" });
  t.after(() => attacker.kill("SIGKILL"));
  let opened = 0;
  for (let tries = 0; tries < 30_000 && opened < 10_000; tries += 1)
    try {
      const file = openSegment(path, folder);
      opened += 1;
      file.append(Buffer.from("line\n"));
      file.close();
    } catch (error) {
      assert.match(String((error as NodeJS.ErrnoException).code), /^(ELOOP|ENOENT|EEXIST|ENOTDIR)$/);
    }
  attacker.kill("SIGKILL");
  assert.ok(opened > 0);
  for (const name of readdirSync(join(elsewhere, "day")))
    assert.equal(readFileSync(join(elsewhere, "day", name), "utf8"), "");
});

/** Store in memory that speaks the requests of S3 that the sink uses. `fail`: status of a request, or 0 to serve it. */
async function openStore(t: TestContext, fail: (method: string, url: URL) => number = () => 0) {
  const objects = new Map<string, Buffer>();
  const uploads = new Map<string, Map<number, Buffer>>();
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://x");
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const method = request.method ?? "";
      const body = Buffer.concat(chunks);
      const [part, id] = [url.searchParams.get("partNumber"), url.searchParams.get("uploadId")];
      requests.push(part === null ? method : `${method} part ${part}`);
      const status = fail(method, url);
      if (status !== 0) return void response.writeHead(status).end("<Error><Code>InternalError</Code></Error>");
      assert.match(String(request.headers.authorization), /^AWS4-HMAC-SHA256 Credential=key\/\d{8}\/eu-west-1\/s3\//);
      if (method === "POST" && url.searchParams.has("uploads")) {
        uploads.set(`u${uploads.size}`, new Map());
        return void response.end(
          `<InitiateMultipartUploadResult><UploadId>u${uploads.size - 1}</UploadId></InitiateMultipartUploadResult>`,
        );
      }
      const parts = uploads.get(id ?? "");
      if (method === "PUT" && part !== null) parts?.set(Number(part), body);
      else if (method === "PUT") objects.set(url.pathname, body);
      else if (parts !== undefined)
        objects.set(url.pathname, Buffer.concat([...parts].sort(([a], [b]) => a - b).map(([, bytes]) => bytes)));
      response.writeHead(200, { etag: `"e${part}"` }).end("<ok/>");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(t, () => {
    server.closeAllConnections();
    server.close();
  });
  const env = {
    AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    AWS_ACCESS_KEY_ID: "key",
    AWS_SECRET_ACCESS_KEY: "secret",
    AWS_REGION: "eu-west-1",
  };
  return { env, objects, requests };
}

test("[SK19] a segment goes to the store flush_interval after its first event, and a failure keeps it", async (t) => {
  let isDown = true;
  const store = await openStore(t, () => (isDown ? 503 : 0));
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t), env: store.env });
  await host.configure(archiveSink("s3://bucket/a/b", { flushIntervalMs: 100 }));
  host.event("output 1", "output 2", "output 3");
  const failing = await host.untilStatus("it fails", "s", ({ failingSinceMs }) => failingSinceMs !== undefined);
  assert.equal(failing.queued, 3);
  isDown = false;
  await host.untilStatus("it is delivered", "s", ({ counts }) => counts.delivered === 3);
  const [[path, body] = ["", Buffer.alloc(0)]] = [...store.objects];
  assert.match(path, /^\/bucket\/a\/b\/fra\/\d{4}-\d\d-\d\d\/0000000000000001\.ndjson$/);
  assert.deepEqual(idsIn(body.toString()), [1, 2, 3]);
});

test("[SK19] a batch larger than a segment becomes several objects, and a failure in the middle loses no event", async (t) => {
  let puts = 0;
  const store = await openStore(t, (method) => {
    if (method === "PUT") puts += 1;
    return puts === 2 ? 503 : 0;
  });
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t), env: store.env });
  await host.configure(archiveSink("s3://bucket", { segmentBytes: 1_000 }));
  host.event(...upTo(20).map(() => "x".repeat(100)));
  await host.untilStatus("all are delivered", "s", ({ counts }) => counts.delivered === 20);
  const objects = [...store.objects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, body]) => body);
  assert.deepEqual(idsIn(Buffer.concat(objects).toString()), upTo(20));
  assert.ok(objects.length >= 5 && objects.every((body) => body.length <= 1_000));
});

test("[SK19] a segment above 64 MiB goes out in parts, and a restart continues with the missing parts", async (t) => {
  let mayFail = true;
  const store = await openStore(t, (_method, url) => (mayFail && url.searchParams.get("partNumber") === "3" ? 503 : 0));
  const dataDir = sinkFolder(t);
  const history: HistoryRecord[] = [];
  const plan = archiveSink("s3://bucket", { segmentBytes: 71_500_000, flushIntervalMs: 600_000 });
  const first = openTestSinkHost(t, { dataDir, history, env: store.env });
  await first.configure(plan);
  const long = "x".repeat(1_000_000);
  // The last event has no room in the segment, which is therefore complete.
  first.event(...Array.from({ length: 72 }, () => long));
  await first.untilStatus("the third part fails", "s", ({ failingSinceMs }) => failingSinceMs !== undefined);
  await first.stop(100);
  mayFail = false;
  store.requests.length = 0;
  const second = openTestSinkHost(t, { dataDir, history, env: store.env });
  await second.configure(plan);
  await until("the object is complete", () => store.objects.size === 1);
  assert.deepEqual(
    store.requests.filter((request) => request.startsWith("PUT")),
    ["PUT part 3", "PUT part 4", "PUT part 5"],
  );
  const [body = Buffer.alloc(0)] = [...store.objects.values()];
  assert.deepEqual(idsIn(body.toString()), upTo(71));
});
