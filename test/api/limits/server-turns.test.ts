import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:http2";
import { test } from "node:test";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { callRaw } from "../raw-call.ts";
import { openRaw, statusLines } from "../raw-connection.ts";
import { openTestServer } from "../test-server.ts";

const listStatus = "/svc.v1.QueryService/ListStatus";
const head = `POST ${listStatus} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;

function requestOf(search: string): string {
  const body = JSON.stringify({ search });
  return `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
}

function chunkedRequestOf(search: string): string {
  const body = JSON.stringify({ search });
  const chunks = [...body].map((character) => `1\r\n${character}\r\n`).join("");
  return `${head}Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\nX-Trailer: \r\n\r\n`;
}

/** Calls from an address, on a connection of its own, whose answer does not come until the test releases it. */
async function callsThatWait(port: number, count: number, from = "127.0.0.1") {
  const calls = await Promise.all(Array.from({ length: count }, () => openRaw(port, "127.0.0.1", from)));
  for (const { socket } of calls) socket.write(requestOf("wait"));
  return calls;
}

test("[PT26] pipelined requests are executed one at a time and answered in their order, with and without a length", async (t) => {
  const { port, searched, release } = await openTestServer(t);
  const raw = await openRaw(port);
  const rest = [
    chunkedRequestOf("b"),
    "\r\n\r\n",
    requestOf("c"),
    chunkedRequestOf("d"),
    "GET /nope HTTP/1.1\r\nHost: x\r\n",
  ];
  raw.socket.write(`${requestOf("wait")}${rest.join("")}Connection: close\r\n\r\n`);
  await until("the first call runs", () => searched.length > 0);
  await (await fetch(`http://127.0.0.1:${port}/nope`)).text();
  assert.deepEqual(searched, ["wait"]);
  release();
  await raw.closed;
  assert.deepEqual(searched, ["wait", "b", "c", "d"]);
  assert.deepEqual(
    statusLines(raw.received()).map((line) => line.slice(-3)),
    ["200", "200", "200", "200", "404"],
  );
});

test("[PT26] however its bytes are divided, a pipelined sequence has the same answers", async (t) => {
  const { port, searched } = await openTestServer(t);
  const sequence = `${requestOf("a")}${chunkedRequestOf("b")}${requestOf("c")}GET / HTTP/1.0\r\n\r\n`;
  for (const size of [1, 2, 3, 7, 64]) {
    searched.length = 0;
    const raw = await openRaw(port);
    for (let at = 0; at < sequence.length; at += size)
      await new Promise<void>((done) => raw.socket.write(sequence.slice(at, at + size), () => done()));
    await raw.closed;
    assert.deepEqual([size, ...searched], [size, "a", "b", "c"]);
  }
});

test("[PT26] the 17th request of a peer waits, and another peer's is answered", async (t) => {
  const { port, base, searched, release } = await openTestServer(t);
  await callsThatWait(port, 17, "127.0.0.2");
  await until("calls run", () => searched.length === 16);
  assert.equal((await callRaw(base, listStatus, { protocol: "json", body: Buffer.from("{}") })).code, "ok");
  assert.equal(searched.filter((search) => search === "wait").length, 16);
  release();
  await until("the last one runs", () => searched.filter((search) => search === "wait").length === 17);
});

test("[PT26] a request whose caller leaves while it waits is not executed", async (t) => {
  const { port, server, searched, release } = await openTestServer(t, { admission: { active: 1 } });
  const [active] = await callsThatWait(port, 1);
  await until("the first call runs", () => searched.length === 1);
  const gone = await openRaw(port);
  gone.socket.write(requestOf("gone"));
  const session = connect(`http://127.0.0.1:${port}`);
  atEnd(t, () => session.destroy());
  const stream = session.request({ ":method": "POST", ":path": listStatus, "content-type": "application/json" });
  stream.on("error", () => {});
  stream.end('{"search":"gone"}');
  const last = await openRaw(port);
  last.socket.write(requestOf("last"));
  await until("all are connected", () => server.connections().open === 4);
  gone.socket.destroy();
  session.destroy();
  await until("the callers have left", () => server.connections().open === 2);
  release();
  await until("the last call runs", () => searched.includes("last"));
  assert.deepEqual(searched, ["wait", "last"]);
  active?.socket.destroy();
  last.socket.destroy();
});

test("[PT26] a request of a peer with too many waiting ones is refused in every protocol", async (t) => {
  const { port, base, searched } = await openTestServer(t, { admission: { active: 1, waiting: 1 } });
  const calls = await callsThatWait(port, 2);
  await until("the first call runs", () => searched.length === 1);
  for (const protocol of ["json", "proto"] as const) {
    const answer = await callRaw(base, listStatus, { protocol, body: Buffer.from("") });
    assert.deepEqual([answer.status, answer.code], [429, "resource_exhausted"]);
  }
  for (const { socket } of calls) socket.destroy();
});

const pageOf = (length: number) => ({ status: 200, contentType: "text/plain", body: "x".repeat(length) });
const large = pageOf(4_000_000);
/** More than the system takes from the server while the caller does not read: Linux buffers up to 4 MiB of a socket. */
const huge = pageOf(16_000_000);

test("[PT28] answers that are not read are closed, over HTTP/1.1 and HTTP/2, and answers that are read slowly arrive", async (t) => {
  const { port, base, server } = await openTestServer(t, {
    pages: new Map([
      ["/large", () => large],
      ["/huge", () => huge],
    ]),
    admission: { stallMs: 300 },
    limits: { transferMs: 100 },
    rpc: { limit: { maxBytes: 1_000, deadlineMs: 60_000 } },
  });
  const raw = await openRaw(port);
  raw.socket.pause();
  raw.socket.write("GET /huge HTTP/1.1\r\nHost: x\r\n\r\n");
  const session = connect(base, { settings: { initialWindowSize: 0 } });
  session.on("error", () => {});
  const streams = Array.from({ length: 20 }, () => session.request({ ":path": "/large" }).on("error", () => {}));
  const closed = once(session, "close");
  await Promise.all(streams.map((stream) => once(stream, "close")));
  await closed;
  await until("the connections are closed", () => server.connections().open === 0);
  const slow = connect(base);
  atEnd(t, () => slow.destroy());
  let length = 0;
  const stream = slow.request({ ":path": "/large" });
  for await (const chunk of stream) {
    length += (chunk as Buffer).length;
    if (length % 500_000 < 16_384) await new Promise((done) => setTimeout(done, 50));
  }
  assert.equal(length, large.body.length);
});

test("[PT28] one stream that is not read is closed alone while another one of its connection is read", async (t) => {
  const { base } = await openTestServer(t, {
    pages: new Map([["/large", () => large]]),
    admission: { stallMs: 300 },
    limits: { transferMs: 100 },
    rpc: { limit: { maxBytes: 1_000, deadlineMs: 60_000 } },
  });
  const session = connect(base);
  atEnd(t, () => session.destroy());
  const unread = session.request({ ":path": "/large" });
  unread.on("error", () => {});
  unread.pause();
  let isClosed = false;
  unread.once("close", () => {
    isClosed = true;
  });
  const read = async (): Promise<void> => {
    const stream = session.request({ ":path": "/large" });
    for await (const _ of stream) await new Promise((done) => setTimeout(done, 5));
  };
  while (!isClosed) await read();
  assert.equal(session.destroyed, false);
});
