import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:http2";
import { type TestContext, test } from "node:test";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { parseTrustedProxies } from "@realmwatch/shared/platform/http/peer-address";
import { until } from "../run/until.ts";
import { exchangeRaw, openRaw, statusLines } from "./raw-connection.ts";
import { openTestServer, type TestServer } from "./test-server.ts";

const listStatus = "/svc.v1.QueryService/ListStatus";
const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
const emptySettings = Buffer.from("000000040000000000", "hex");
const get = "GET /nope HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

test("[B19] the HTTP/2 preface byte by byte, and an HTTP/1 request byte by byte", async (t) => {
  const { port } = await openTestServer(t);
  const raw = await openRaw(port);
  for (const byte of Buffer.concat([preface, emptySettings])) {
    raw.socket.write(Uint8Array.of(byte));
    await new Promise(setImmediate);
  }
  // The server's own SETTINGS frame, and its acknowledgement of ours.
  await until("settings are acknowledged", () => raw.received().includes("\0\0\0\x04\x01\0\0\0\0"));
  raw.socket.destroy();

  const slow = await openRaw(port);
  for (const byte of Buffer.from(get)) {
    slow.socket.write(Uint8Array.of(byte));
    await new Promise(setImmediate);
  }
  await slow.closed;
  assert.deepEqual(statusLines(slow.received()), ["HTTP/1.1 404"]);
});

for (let at = 1; at < preface.length; at++)
  test(`[B19] the preface split after ${at} bytes, its end with other bytes`, async (t) => {
    const { port } = await openTestServer(t);
    const raw = await openRaw(port);
    raw.socket.write(preface.subarray(0, at));
    await new Promise(setImmediate);
    raw.socket.write(Buffer.concat([preface.subarray(at), emptySettings]));
    await until("settings are acknowledged", () => raw.received().includes("\0\0\0\x04\x01\0\0\0\0"));
    raw.socket.destroy();
  });

const strangers: [what: string, bytes: Buffer | string, answer: RegExp][] = [
  ["a TLS hello", Buffer.from("16030100a5010000a10303", "hex"), /^$/],
  ["a binary proxy header", Buffer.from("0d0a0d0a000d0a515549540a", "hex"), /^$/],
  ["zeros", Buffer.alloc(64), /^$/],
  ["an SSH banner", "SSH-2.0-OpenSSH_9.2\r\n", /^HTTP\/1\.1 400/],
  ["a text proxy header", "PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\nGET / HTTP/1.1\r\n\r\n", /^HTTP\/1\.1 400/],
  ["HTTP/0.9", "GET /\r\n\r\n", /^$/],
  ["an endless method", "A".repeat(100_000), /^HTTP\/1\.1 4(00|31)/],
  ["almost the preface", "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n", /^HTTP\/1\.1 400/],
  ["CONNECT", "CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n", /^$/],
];
for (const [what, bytes, answer] of strangers)
  test(`[B19] ${what} is turned away`, async (t) => {
    const { port } = await openTestServer(t);
    assert.match(await exchangeRaw(port, bytes), answer);
  });

test("[B19] HTTP/1 behind the preface reaches no parser of HTTP/1", async (t) => {
  const { port, searched } = await openTestServer(t);
  const answer = await exchangeRaw(port, Buffer.concat([preface, Buffer.from(get)]));
  assert.deepEqual(statusLines(answer), []);
  assert.deepEqual(searched, []);
});

test("[B19] an upgrade to h2c is passed over: the request is answered over HTTP/1.1", async (t) => {
  const { port } = await openTestServer(t);
  const upgrade = "Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__";
  const answer = await exchangeRaw(port, `GET /nope HTTP/1.1\r\nHost: x\r\n${upgrade}\r\n\r\n`);
  assert.match(answer, /^HTTP\/1\.1 404/);
});

test("[B19] a connection that says nothing, or half a preface, is closed after the deadline", async (t) => {
  const { port } = await openTestServer(t, { limits: { sniffMs: 50 } });
  const silent = await openRaw(port);
  const half = await openRaw(port);
  half.socket.write(preface.subarray(0, 10));
  await Promise.all([silent.closed, half.closed]);
});

test("[B22] headers that do not come to their end are closed after the deadline", async (t) => {
  const { port } = await openTestServer(t, { limits: { headersMs: 100 } });
  const raw = await openRaw(port);
  raw.socket.write("GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ");
  await raw.closed;
  assert.deepEqual(statusLines(raw.received()), ["HTTP/1.1 408"]);
});

test("[B22] a body that does not come ends with its call's deadline, and its connection after it", async (t) => {
  const { port, ended } = await openTestServer(t, {
    limits: { lingerMs: 50 },
    rpc: { limit: { maxBytes: 1_000, deadlineMs: 100 } },
  });
  const head = "Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{";
  const answer = await exchangeRaw(port, `POST ${listStatus} HTTP/1.1\r\nHost: x\r\n${head}`);
  assert.deepEqual(statusLines(answer), ["HTTP/1.1 504"]);
  assert.match(answer, /deadline_exceeded/);
  assert.equal(ended[0]?.handlerCalled, false);
});

for (const [what, head] of [
  ["announced", "Content-Length: 1000000000000"],
  ["endless", "Transfer-Encoding: chunked"],
])
  test(`[B06] a body too large, ${what}: answered early, then cut off`, async (t) => {
    const { port } = await openTestServer(t, { limits: { lingerMs: 50 } });
    const raw = await openRaw(port);
    raw.socket.write(`POST ${listStatus} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${head}\r\n\r\n`);
    const chunk = Buffer.from(`10000\r\n${"x".repeat(65_536)}\r\n`);
    const send = (): void => {
      while (!raw.socket.destroyed && raw.socket.write(chunk));
    };
    raw.socket.on("drain", send);
    send();
    await raw.closed;
    assert.deepEqual(statusLines(raw.received()), ["HTTP/1.1 429"]);
    assert.match(raw.received(), /resource_exhausted/);
  });

test("[B20] smuggling: what is ambiguous is refused, and no request is answered twice", async (t) => {
  const { port, searched } = await openTestServer(t);
  const post = `POST ${listStatus} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
  const inner = `${post}Content-Length: 18\r\n\r\n{"search":"inner"}`;
  const refused = [
    `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`,
    `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}${inner}`,
    `${post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${inner}`,
    `${post}Content-Length : 2\r\n\r\n{}${inner}`,
    `${post}X-A: b\r\n folded: c\r\nContent-Length: 2\r\n\r\n{}${inner}`,
    `${post}Content-Length: 2\nX: y\r\n\r\n{}${inner}`,
    `${post}Content-Length: -2\r\n\r\n{}${inner}`,
    `${post}Transfer-Encoding: chunked\r\n\r\n2;${"e".repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
  ];
  for (const request of refused) {
    const answers = statusLines(await exchangeRaw(port, request));
    assert.ok(answers.length <= 1 && answers.every((line) => / 4\d\d$/.test(line)), `${request}\n${answers}`);
  }
  assert.ok(!searched.includes("inner"));
});

test("[B21] headers above 16 KiB are refused over both versions", async (t) => {
  const { port, base } = await openTestServer(t);
  const answer = await exchangeRaw(port, `GET / HTTP/1.1\r\nHost: x\r\nCookie: ${"c".repeat(17_000)}\r\n\r\n`);
  assert.deepEqual(statusLines(answer), ["HTTP/1.1 431"]);
  for (const acknowledged of [false, true]) {
    const session = connect(base);
    if (acknowledged) await once(session, "localSettings");
    const stream = session.request({ ":path": "/", cookie: "c".repeat(17_000) }).resume();
    let status = 431;
    stream.on("response", (head) => {
      status = Number(head[":status"]);
    });
    stream.on("error", () => {});
    await new Promise((resolve) => stream.once("close", resolve));
    assert.equal(status, 431);
    session.destroy();
  }
});

test("[B21] at most 128 streams of one connection at once", async (t) => {
  const { base } = await openTestServer(t);
  const session = connect(base);
  await once(session, "remoteSettings");
  assert.equal(session.remoteSettings.maxConcurrentStreams, 128);
  session.destroy();
});

test("[B21] rapid reset ends the session and nobody else", async (t) => {
  const { base, port } = await openTestServer(t);
  const session = connect(base);
  session.on("error", () => {});
  const closed = new Promise((resolve) => session.once("close", resolve));
  const flood = (): void => {
    for (let i = 0; i < 100 && !session.destroyed; i++) {
      const stream = session.request({ ":path": "/" });
      stream.on("error", () => {});
      stream.close(8);
    }
    if (!session.destroyed) setImmediate(flood);
  };
  flood();
  await closed;
  assert.deepEqual(statusLines(await exchangeRaw(port, get)), ["HTTP/1.1 404"]);
});

test("connections beyond the limit of all, and of one peer, are refused and counted", async (t) => {
  const { port, server } = await openTestServer(t, { limits: { total: 6, perPeer: 4 } });
  const first = await Promise.all([1, 2, 3, 4].map(() => openRaw(port)));
  await (await openRaw(port)).closed;
  const others = await Promise.all([1, 2].map(() => openRaw(port, "127.0.0.1", "127.0.0.2")));
  await (await openRaw(port, "127.0.0.1", "127.0.0.3")).closed;
  assert.deepEqual(server.connections(), { open: 6, refused: 2 });
  for (const { socket } of [...first, ...others]) socket.destroy();
  await until("all are gone", () => server.connections().open === 0);
  assert.deepEqual(statusLines(await exchangeRaw(port, get)), ["HTTP/1.1 404"]);
});

test("behind a trusted proxy are many peers: its address has no limit of its own, its word names the caller", async (t) => {
  const trusted = parseTrustedProxies("127.0.0.1");
  assert.ok(trusted.ok);
  const { port, base } = await openTestServer(t, { limits: { total: 5, perPeer: 2 }, trustedProxies: trusted.value });
  for (let i = 0; i < 3; i++) {
    const { socket } = await openRaw(port);
    t.after(() => socket.destroy());
  }
  const peer = async (forwarded: string) => {
    const headers = { "content-type": "application/json", "x-forwarded-for": forwarded, connection: "close" };
    const response = await fetch(base + listStatus, { method: "POST", headers, body: '{"search":"peer"}' });
    return ((await response.json()) as { nextPageToken: string }).nextPageToken;
  };
  assert.equal(await peer("6.6.6.6, 192.0.2.7"), "192.0.2.7");
});

test("an idle connection is closed, over both versions", async (t) => {
  const { port, base } = await openTestServer(t, { limits: { idleMs: 50 } });
  const raw = await openRaw(port);
  raw.socket.write("GET /nope HTTP/1.1\r\nHost: x\r\n\r\n");
  await raw.closed;
  assert.deepEqual(statusLines(raw.received()), ["HTTP/1.1 404"]);
  const session = connect(base);
  await new Promise((resolve) => session.once("close", resolve));
});

test("a port in use is told in one line", async (t) => {
  const { port } = await openTestServer(t);
  await assert.rejects(
    openTestServer(t, { listen: { host: "127.0.0.1", port } }),
    /^Error: cannot listen at 127\.0\.0\.1:\d+: the port is in use$/,
  );
});

/** A call that waits until it is released, over either version. Answers what became of it. */
function wait({ base }: TestServer, httpVersion: "1.1" | "2"): Promise<string> {
  const client = createClient(QueryService, createConnectTransport({ baseUrl: base, httpVersion }));
  return client.listStatus({ search: "wait" }).then(
    () => "ok",
    (error: Error) => error.message,
  );
}

async function openWithCalls(t: TestContext): Promise<TestServer & { calls: Promise<string>[] }> {
  const opened = await openTestServer(t);
  const calls = [wait(opened, "1.1"), wait(opened, "2")];
  await until("both calls run", () => opened.searched.length === 2);
  return { ...opened, calls };
}

test("close waits for running calls, and for nothing else, and takes no new ones", async (t) => {
  const { server, port, calls, ended, release } = await openWithCalls(t);
  const idle = await openRaw(port);
  let closed = false;
  const closing = server.close(600_000).then(() => {
    closed = true;
  });
  await idle.closed;
  await (await openRaw(port)).closed;
  assert.deepEqual([closed, ended.length], [false, 0]);
  release();
  assert.deepEqual(await Promise.all(calls), ["ok", "ok"]);
  await closing;
  assert.deepEqual([server.connections().open, ended.length], [0, 2]);
});

test("close cuts off what runs longer than its grace; a second close waits for the first", async (t) => {
  const { server, calls, ended } = await openWithCalls(t);
  await Promise.all([server.close(20), server.close(600_000)]);
  assert.equal(server.connections().open, 0);
  for (const message of await Promise.all(calls)) assert.notEqual(message, "ok");
  await until("both calls ended", () => ended.length === 2);
});
