import assert from "node:assert/strict";
import { connect } from "node:http2";
import { type TestContext, test } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { callRaw, grpcFrame, wireProtocols } from "../raw-call.ts";
import { openRaw } from "../raw-connection.ts";
import { openTestServer } from "../test-server.ts";

const batch = "/svc.v1.CommandService/ProcessCheckResults";
const listStatus = "/svc.v1.QueryService/ListStatus";
const mib = 2 ** 20;
const full = /too many bytes of requests are being received/;

type Part = {
  readonly announced: number;
  readonly sent: number;
  /** Address of the peer. Default: the system's choice. */
  readonly from?: string;
};

/** Opens a request of `announced` bytes and sends only some of them. */
async function sendPart(t: TestContext, port: number, { announced, sent, from }: Part) {
  const raw = await openRaw(port, "127.0.0.1", from);
  atEnd(t, () => raw.socket.destroy());
  const head = `POST ${batch} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${announced}\r\n\r\n`;
  raw.socket.write(head);
  raw.socket.write(Buffer.alloc(sent, 0x20));
  return raw;
}

test("[PT8] half-sent bodies of one peer are refused from its budget on, and others are served", async (t) => {
  const { port, base } = await openTestServer(t, {
    admission: { bodies: { totalBytes: 64 * mib, perPeerBytes: 4 * mib } },
  });
  const parts = await Promise.all(
    Array.from({ length: 16 }, () => sendPart(t, port, { announced: mib + 1, sent: mib })),
  );
  await until("the refusals", () => parts.filter(({ received }) => full.test(received())).length >= 12, {});
  const refused = parts.filter(({ received }) => received().startsWith("HTTP/1.1 429"));
  assert.ok(refused.length <= 13);
  for (const { socket } of parts) socket.destroy();
  await until(
    "memory is free again",
    async () => (await callRaw(base, listStatus, { protocol: "json", body: Buffer.from("{}") })).code === "ok",
    {},
  );
});

test("[PT8] half-sent bodies of many peers are refused from the total budget on, however little each peer sends", async (t) => {
  const { port, base } = await openTestServer(t, {
    admission: { bodies: { totalBytes: 8 * mib, perPeerBytes: 4 * mib } },
  });
  const parts = await Promise.all(
    Array.from({ length: 16 }, (_, n) =>
      sendPart(t, port, { announced: mib + 1, sent: mib, from: `127.0.0.${n + 2}` }),
    ),
  );
  await until("the refusals", () => parts.filter(({ received }) => full.test(received())).length >= 8, {});
  // Bytes of refused requests are free again, so that at most one more is refused than has no room.
  assert.ok(parts.filter(({ received }) => received().startsWith("HTTP/1.1 429")).length <= 9);
  for (const { socket } of parts) socket.destroy();
  await until(
    "memory is free again",
    async () => (await callRaw(base, listStatus, { protocol: "json", body: Buffer.from("{}") })).code === "ok",
    {},
  );
});

test("[PT8] the streams of one HTTP/2 connection share the budget of their peer", async (t) => {
  const { base } = await openTestServer(t, { admission: { bodies: { totalBytes: 64 * mib, perPeerBytes: mib } } });
  const session = connect(base);
  atEnd(t, () => session.destroy());
  let refused = 0;
  for (let n = 0; n < 60; n += 1) {
    const stream = session.request({ ":method": "POST", ":path": batch, "content-type": "application/json" });
    stream.on("error", () => {});
    stream.on("response", (head) => {
      if (head[":status"] === 429) refused += 1;
    });
    stream.resume();
    stream.write(Buffer.alloc(50_000, 0x20));
  }
  await until("the refusals", () => refused >= 30, { seen: () => refused });
  assert.ok(refused < 60);
});

const bombs = [
  ["gzip", gzipSync(Buffer.alloc(12 * mib, 0x20))],
  ["br", brotliCompressSync(Buffer.alloc(12 * mib, 0x20), { params: { 1: 1 } })],
] as const;
for (const protocol of wireProtocols)
  for (const [encoding, bomb] of bombs)
    test(`[PT8] ${protocol}: the decompressed bytes of parallel ${encoding} messages count too`, async (t) => {
      const budget = { totalBytes: 256 * mib, perPeerBytes: 16 * mib };
      const { base } = await openTestServer(t, { admission: { bodies: budget } });
      const grpc = protocol.startsWith("grpc");
      const call = async () => {
        const headers = { [grpc ? "grpc-encoding" : "content-encoding"]: encoding };
        const body = Buffer.from(grpc ? grpcFrame(bomb, 1) : bomb);
        return (await callRaw(base, batch, { protocol, body, headers })).code;
      };
      const codes = await Promise.all(Array.from({ length: 12 }, call));
      assert.ok(codes.includes("resource_exhausted"), codes.join());
      assert.deepEqual(
        codes.filter((code) => code === "internal" || code === ""),
        [],
      );
      assert.notEqual(await call(), "resource_exhausted");
    });
