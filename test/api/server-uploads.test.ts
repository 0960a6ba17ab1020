import assert from "node:assert/strict";
import { connect } from "node:http2";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { type UploadHandler, uploadProblem } from "@realmwatch/shared/platform/http/uploads";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { exchangeRaw, openRaw, statusLines } from "./raw-connection.ts";
import { openTestServer } from "./test-server.ts";

/** Opens a server whose path `/in` answers with the size of the body, `/refuse` before it is read and `/boom` never. */
async function openUploads(t: TestContext, { deadlineMs = 30_000, totalBytes = 1_000_000 } = {}) {
  const read: UploadHandler = async ({ readBody }) => {
    const body = await readBody();
    return body.ok ? { status: 200, body: String(body.value.length) } : body.error;
  };
  const handlers = new Map<string, UploadHandler>([
    ["/in", read],
    ["/refuse", async () => uploadProblem(401, "no token", { "www-authenticate": "Bearer" })],
    ["/boom", () => Promise.reject(new Error("a bug with a c4nary"))],
  ]);
  return openTestServer(t, {
    uploads: {
      handlerOf: (path, method) => (method === "POST" ? handlers.get(path) : undefined),
      limit: { maxBytes: 10_000, deadlineMs },
    },
    admission: { bodies: { totalBytes, perPeerBytes: totalBytes } },
  });
}

test("[AR14] bodies of other protocols have a limit of size, also after decompression, and count towards the budget", async (t) => {
  const { base } = await openUploads(t);
  const post = async (body: Uint8Array<ArrayBuffer>, headers = {}): Promise<[number, string]> => {
    const response = await fetch(`${base}/in?x=1`, { method: "POST", body, headers });
    return [response.status, await response.text()];
  };
  assert.deepEqual(await post(new Uint8Array(10_000)), [200, "10000"]);
  assert.deepEqual(await post(new Uint8Array(10_001)), [413, '"the request is larger than 10000 bytes"']);
  const gzip = { "content-encoding": "gzip" };
  assert.deepEqual(await post(new Uint8Array(gzipSync(new Uint8Array(10_000))), gzip), [200, "10000"]);
  assert.equal((await post(new Uint8Array(gzipSync(new Uint8Array(1_000_000))), gzip))[0], 413);
  assert.deepEqual(await post(new Uint8Array(10), gzip), [400, '"the request is not valid gzip data"']);
  assert.equal((await post(new Uint8Array(10), { "content-encoding": "zstd" }))[0], 415);
  const small = await openUploads(t, { totalBytes: 1_000 });
  assert.equal((await fetch(`${small.base}/in`, { method: "POST", body: "x".repeat(1_001) })).status, 503);
  assert.equal((await fetch(`${small.base}/in`, { method: "POST", body: "x".repeat(1_000) })).status, 200);
});

test("[AR14] a body that does not arrive in time is answered with 408, and one of a vanished caller is forgotten", async (t) => {
  const { port, base, faults } = await openUploads(t, { deadlineMs: 100 });
  const late = await exchangeRaw(port, "POST /in HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab");
  assert.deepEqual(statusLines(late), ["HTTP/1.1 408"]);
  const gone = await openRaw(port);
  gone.socket.write("POST /in HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab");
  gone.socket.destroy();
  await gone.closed;
  await until("the server answers", async () => (await fetch(`${base}/in`, { method: "POST", body: "x" })).ok);
  assert.deepEqual(faults, []);
});

test("[AR14] other paths and methods are 404, a refusal reads no body, and a bug shows no detail; HTTP/2 too", async (t) => {
  const { base, port, faults } = await openUploads(t);
  for (const [path, method] of [
    ["/in", "GET"],
    ["/in", "PUT"],
    ["/in/", "POST"],
    ["/other", "POST"],
  ] as const)
    assert.equal((await fetch(`${base}${path}`, { method })).status, 404, `${method} ${path}`);
  const refused = await exchangeRaw(
    port,
    "POST /refuse HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nConnection: close\r\n\r\n",
  );
  assert.match(refused, /^HTTP\/1\.1 401[\s\S]*www-authenticate: Bearer[\s\S]*"no token"$/i);
  const boom = await fetch(`${base}/boom`, { method: "POST" });
  assert.deepEqual([boom.status, await boom.text()], [500, '"internal error"']);
  assert.match(String(faults), /c4nary/);
  const session = connect(base);
  atEnd(t, () => session.close());
  const stream = session.request({ ":method": "POST", ":path": "/in" });
  stream.end("four");
  const [head, ...chunks] = await new Promise<unknown[]>((resolve, reject) => {
    const seen: unknown[] = [];
    stream.on("response", (headers) => seen.push(headers[":status"]));
    stream.on("data", (chunk: Buffer) => seen.push(String(chunk)));
    stream.on("end", () => resolve(seen));
    stream.on("error", reject);
  });
  assert.deepEqual([head, chunks.join("")], [200, "4"]);
});
