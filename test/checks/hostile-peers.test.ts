import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { checkEnvironment, openTestDependencies, servicePlan } from "@realmwatch/agent/checks/plan.fixture";
import { type CheckRun, runCheck } from "@realmwatch/agent/checks/run-check";
import type { CheckSpec } from "@realmwatch/shared/config/check-kinds/check-kinds";

const dependencies = openTestDependencies();
const servers: Server[] = [];
const sockets = new Set<Socket>();
after(async () => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
  await dependencies.close();
});

async function serve(talk: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    talk(socket);
  }).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const check = (spec: CheckSpec, timeoutMs = 10_000): Promise<CheckRun> =>
  runCheck(servicePlan(spec, timeoutMs), checkEnvironment(), dependencies);
const http = (port: number, timeoutMs?: number): Promise<CheckRun> =>
  check({ type: "http", url: `http://127.0.0.1:${port}/` }, timeoutMs);

/** Writes `first`, then the same bytes without end as fast as they are read. */
function flood(socket: Socket, chunk: string | Buffer, first = ""): void {
  socket.write(first);
  const more = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on("drain", more);
  more();
}

/** Writes `first`, then the same byte every few ms. */
function drip(socket: Socket, byte: string, first = ""): void {
  socket.write(first);
  const timer = setInterval(() => socket.write(byte), 20);
  socket.on("close", () => clearInterval(timer));
}

const head = "HTTP/1.1 200 OK\r\n";
const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20));

for (const [what, talk, status, output, timeoutMs] of [
  ["endless headers", (socket) => flood(socket, "x: y\r\n", head), "critical", /headers larger than 16 KiB$/],
  [
    "one header without an end",
    (socket) => flood(socket, "y".repeat(4_096), `${head}x: `),
    "critical",
    /headers larger than 16 KiB$/,
  ],
  [
    "a status line without an end",
    (socket) => flood(socket, "y".repeat(4_096), "HTTP/1.1 200 "),
    "critical",
    /no answer from/,
  ],
  [
    "endless chunks",
    (socket) => flood(socket, "4\r\nabcd\r\n", `${head}transfer-encoding: chunked\r\n\r\n`),
    "ok",
    /the rest unread/,
  ],
  [
    "an endless chunk extension",
    (socket) => flood(socket, "y".repeat(4_096), `${head}transfer-encoding: chunked\r\n\r\n4;`),
    "critical",
    /the server does not speak HTTP|connection closed within/,
  ],
  [
    "endless interim answers",
    (socket) => flood(socket, "HTTP/1.1 100 Continue\r\n\r\n"),
    "critical",
    /timed out after 300ms$/,
    300,
  ],
  [
    "a gzip bomb",
    (socket) =>
      socket.end(
        Buffer.concat([Buffer.from(`${head}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`), bomb]),
      ),
    "ok",
    new RegExp(` - ${bomb.length} bytes in `),
  ],
  [
    "single bytes at intervals",
    (socket) => drip(socket, "H"),
    "critical",
    /the server does not speak HTTP|timed out/,
    300,
  ],
  [
    "a body of single bytes at intervals",
    (socket) => drip(socket, "x", `${head}content-length: 99999\r\n\r\n`),
    "critical",
    /timed out after 300ms$/,
    300,
  ],
  ["a reset", (socket) => socket.once("data", () => socket.resetAndDestroy()), "critical", /: connection reset$/],
  [
    "a reset within the body",
    (socket) =>
      socket.once("data", () => socket.write(`${head}content-length: 9\r\n\r\n1`, () => socket.resetAndDestroy())),
    "critical",
    /: connection (closed within the answer|reset)$/,
  ],
] as [string, (socket: Socket) => void, string, RegExp, number?][])
  test(`[NC8] http: ${what} is ${status}`, async () => {
    const run = await http(await serve(talk), timeoutMs);
    assert.deepEqual([run.status, output.test(run.output)], [status, true], run.output);
  });

for (const [what, talk] of [
  ["a flood", (socket) => flood(socket, "x".repeat(65_536))],
  ["an endless record", (socket) => flood(socket, Buffer.alloc(65_536, 0x16))],
  ["a reset", (socket) => socket.once("data", () => socket.resetAndDestroy())],
  ["silence", () => {}],
] as [string, (socket: Socket) => void][])
  test(`[NC8] tls: ${what} is critical`, async () => {
    const port = await serve(talk);
    const spec = { type: "tls", host: "127.0.0.1", port, warnWithinMs: 0, critWithinMs: 0 } as const;
    assert.equal((await check(spec, 500)).status, "critical");
    assert.equal((await check({ ...spec, startTls: "smtp" }, 500)).status, "critical");
    assert.equal((await check({ ...spec, startTls: "ldap" }, 500)).status, "critical");
  });

/** Name server that truncates every UDP answer and sends `flooded` over TCP. */
async function truncatingServer(chunk: Buffer): Promise<number> {
  const port = await serve((socket) => socket.once("data", () => flood(socket, chunk)));
  const udp = createSocket("udp4").bind(port, "127.0.0.1");
  await once(udp, "listening");
  udp.on("message", (query, from) => {
    const answer = Buffer.from(query);
    answer.writeUInt16BE(0x8380, 2);
    udp.send(answer, from.port, from.address);
  });
  after(() => udp.close());
  return port;
}

for (const [what, chunk] of [
  ["empty messages", Buffer.alloc(65_536)],
  ["messages of 64 KiB", Buffer.alloc(65_537, 0xff)],
] as const)
  test(`[NC8] dns: endless ${what} over TCP are critical at the timeout and use no memory`, async () => {
    const port = await truncatingServer(chunk);
    const beforeBytes = process.memoryUsage().rss;
    const runs = await Promise.all(
      Array.from({ length: 5 }, () => check({ type: "dns", host: "127.0.0.1", port, name: "x.example" }, 500)),
    );
    for (const run of runs) assert.equal(run.status, "critical", run.output);
    assert.ok(process.memoryUsage().rss - beforeBytes < 150 * 2 ** 20);
  });
