import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:http2";
import { type TestContext, test } from "node:test";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { parseNetworkList } from "@realmwatch/shared/platform/network/network-list";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { exchangeRaw, openRaw, statusLines } from "./raw-connection.ts";
import { openTestServer, type TestServer } from "./test-server.ts";

const listStatus = "/svc.v1.QueryService/ListStatus";
const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
const emptySettings = Buffer.from("000000040000000000", "hex");
const get = "GET /nope HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

test("[IN4] the HTTP/2 preface and an HTTP/1 request are accepted byte by byte", async (t) => {
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
  test(`[IN4] the preface is accepted when split after ${at} bytes, its rest together with other bytes`, async (t) => {
    const { port } = await openTestServer(t);
    const raw = await openRaw(port);
    raw.socket.write(preface.subarray(0, at));
    await new Promise(setImmediate);
    raw.socket.write(Buffer.concat([preface.subarray(at), emptySettings]));
    await until("settings are acknowledged", () => raw.received().includes("\0\0\0\x04\x01\0\0\0\0"));
    raw.socket.destroy();
  });

const foreignProtocols: [what: string, bytes: Buffer | string, answer: RegExp][] = [
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
for (const [what, bytes, answer] of foreignProtocols)
  test(`[IN4] ${what} is refused`, async (t) => {
    const { port } = await openTestServer(t);
    assert.match(await exchangeRaw(port, bytes), answer);
  });

test("[IN4] HTTP/1 after the HTTP/2 preface does not reach the HTTP/1 parser", async (t) => {
  const { port, searched } = await openTestServer(t);
  const answer = await exchangeRaw(port, Buffer.concat([preface, Buffer.from(get)]));
  assert.deepEqual(statusLines(answer), []);
  assert.deepEqual(searched, []);
});

test("[IN4] an upgrade to h2c is ignored: the request is answered over HTTP/1.1", async (t) => {
  const { port } = await openTestServer(t);
  const upgrade = "Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__";
  const answer = await exchangeRaw(port, `GET /nope HTTP/1.1\r\nHost: x\r\n${upgrade}\r\n\r\n`);
  assert.match(answer, /^HTTP\/1\.1 404/);
});

test("[IN7] a connection that sends no data or half a preface is closed after the deadline", async (t) => {
  const { port } = await openTestServer(t, { limits: { sniffMs: 50 } });
  const silent = await openRaw(port);
  const half = await openRaw(port);
  half.socket.write(preface.subarray(0, 10));
  await Promise.all([silent.closed, half.closed]);
});

test("[IN7] a connection with incomplete headers is closed after the deadline", async (t) => {
  const { port } = await openTestServer(t, { limits: { headersMs: 100 } });
  const raw = await openRaw(port);
  raw.socket.write("GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ");
  await raw.closed;
  assert.deepEqual(statusLines(raw.received()), ["HTTP/1.1 408"]);
});

test("[IN7] a call with an incomplete body ends at its deadline, and its connection is closed afterwards", async (t) => {
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
  test(`[IN3] a body that is too large, ${what}, is answered early, then its connection is closed`, async (t) => {
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

test("[IN5] request smuggling: ambiguous requests are refused, and no request is answered twice", async (t) => {
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

test("[IN6] headers above 16 KiB are refused over HTTP/1.1 and HTTP/2", async (t) => {
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

test("[IN6] a connection may have at most 128 concurrent streams", async (t) => {
  const { base } = await openTestServer(t);
  const session = connect(base);
  await once(session, "remoteSettings");
  assert.equal(session.remoteSettings.maxConcurrentStreams, 128);
  session.destroy();
});

test("[IN6] a rapid reset attack ends its own session and does not affect other connections", async (t) => {
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

test("[PT27] connections above the total limit or the limit per peer are refused and counted", async (t) => {
  const { port, server, searched } = await openTestServer(t, { limits: { total: 6, perPeer: 4 } });
  const body = '{"search":"hang"}';
  const call = `POST ${listStatus} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const first = await Promise.all([1, 2, 3, 4].map(() => openRaw(port)));
  for (const { socket } of first) socket.write(call);
  await until("the calls run", () => searched.length === 4);
  await (await openRaw(port)).closed;
  const others = await Promise.all([1, 2].map(() => openRaw(port, "127.0.0.1", "127.0.0.2")));
  for (const { socket } of others) socket.write(call);
  await until("all calls run", () => searched.length === 6);
  await (await openRaw(port, "127.0.0.1", "127.0.0.3")).closed;
  assert.deepEqual(server.connections(), { open: 6, refused: 2 });
  for (const { socket } of [...first, ...others]) socket.destroy();
  await until("all connections are closed", () => server.connections().open === 0);
  assert.deepEqual(statusLines(await exchangeRaw(port, get)), ["HTTP/1.1 404"]);
});

test("[PT27] when all connections are taken, those of the largest peer without a whole request give way, the oldest first", async (t) => {
  const { port, server } = await openTestServer(t, { limits: { total: 6, perPeer: 4 } });
  const slow = await Promise.all([1, 2, 3].map(() => openRaw(port)));
  for (const { socket } of slow) socket.write("GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ");
  const others = await Promise.all([1, 2, 3].map(() => openRaw(port, "127.0.0.1", "127.0.0.2")));
  const newcomer = await openRaw(port, "127.0.0.1", "127.0.0.3");
  await slow[0]?.closed;
  newcomer.socket.write(get);
  await newcomer.closed;
  assert.deepEqual(statusLines(newcomer.received()), ["HTTP/1.1 404"]);
  assert.equal(server.connections().refused, 0);
  for (const { socket } of [...slow, ...others]) socket.destroy();
});

test("a trusted proxy is exempt from the limit per peer, and its header determines the caller's address", async (t) => {
  const trusted = parseNetworkList("127.0.0.1");
  assert.ok(trusted.ok);
  const { port, base } = await openTestServer(t, { limits: { total: 5, perPeer: 2 }, trustedProxies: trusted.value });
  for (let i = 0; i < 3; i++) {
    const { socket } = await openRaw(port);
    atEnd(t, () => socket.destroy());
  }
  const peer = async (forwarded: string) => {
    const headers = { "content-type": "application/json", "x-forwarded-for": forwarded, connection: "close" };
    const response = await fetch(base + listStatus, { method: "POST", headers, body: '{"search":"peer"}' });
    return ((await response.json()) as { nextPageToken: string }).nextPageToken;
  };
  assert.equal(await peer("6.6.6.6, 192.0.2.7"), "192.0.2.7");
});

test("an idle connection is closed over HTTP/1.1 and HTTP/2", async (t) => {
  const { port, base } = await openTestServer(t, { limits: { idleMs: 50 } });
  const raw = await openRaw(port);
  raw.socket.write("GET /nope HTTP/1.1\r\nHost: x\r\n\r\n");
  await raw.closed;
  assert.deepEqual(statusLines(raw.received()), ["HTTP/1.1 404"]);
  const session = connect(base);
  await new Promise((resolve) => session.once("close", resolve));
});

test("[IN7] a client that leaves while responses wait for its window leaves nothing behind", async (t) => {
  const pages = new Map([["/large", () => ({ status: 200, contentType: "text/plain", body: "x".repeat(1_000_000) })]]);
  const { base, server } = await openTestServer(t, { pages });
  const session = connect(base, { settings: { initialWindowSize: 0 } });
  session.on("error", () => {});
  const streams = Array.from({ length: 16 }, () => session.request({ ":path": "/large" }).on("error", () => {}));
  await Promise.all(streams.map((stream) => once(stream, "response")));
  session.destroy();
  await until("the connection is closed", () => server.connections().open === 0, {});
});

test("a port in use is reported in one line", async (t) => {
  const { port } = await openTestServer(t);
  await assert.rejects(
    openTestServer(t, { listen: { host: "127.0.0.1", port } }),
    /^Error: cannot listen at 127\.0\.0\.1:\d+: the port is in use; choose another address with -listen$/,
  );
});

/** Makes a call that hangs until its release. Returns `ok` or the error message. */
function callAndWait({ base }: TestServer, httpVersion: "1.1" | "2"): Promise<string> {
  const client = createClient(QueryService, createConnectTransport({ baseUrl: base, httpVersion }));
  return client.listStatus({ search: "wait" }).then(
    () => "ok",
    (error: Error) => error.message,
  );
}

async function openWithActiveCalls(t: TestContext): Promise<TestServer & { calls: Promise<string>[] }> {
  const opened = await openTestServer(t);
  const calls = [callAndWait(opened, "1.1"), callAndWait(opened, "2")];
  await until("both calls run", () => opened.searched.length === 2);
  return { ...opened, calls };
}

test("close waits for active calls only, and accepts no new ones", async (t) => {
  const { server, port, calls, ended, release } = await openWithActiveCalls(t);
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

test("close aborts calls after the grace period; a second close waits for the first", async (t) => {
  const { server, calls, ended } = await openWithActiveCalls(t);
  await Promise.all([server.close(20), server.close(600_000)]);
  assert.equal(server.connections().open, 0);
  for (const message of await Promise.all(calls)) assert.notEqual(message, "ok");
  await until("both calls ended", () => ended.length === 2);
});
