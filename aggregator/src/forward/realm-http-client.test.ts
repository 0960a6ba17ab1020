import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer as createTcp, type Server } from "node:net";
import { test } from "node:test";
import tls from "node:tls";
import { openScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { makeTlsCertificates } from "@realmwatch/shared/platform/testing/tls-certificates.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { openRealmHttpClient } from "./realm-http-client.ts";

async function listening(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

async function* bodyOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** Opens a client of a URL whose calls send `hello`; each resolves with the text of the answer or of the error. */
function open(url: string, maxAnswerBytes = 1_000) {
  const client = openRealmHttpClient(url, maxAnswerBytes);
  const call = async (signal?: AbortSignal): Promise<{ text?: string; why?: string; sent: boolean }> => {
    const { httpClient, wasSent } = client.forCall();
    try {
      const request = { url: `${url}/x`, method: "POST", header: new Headers(), body: bodyOf("hello") };
      const { body } = await httpClient({ ...request, ...(signal ? { signal } : {}) });
      const chunks: Uint8Array[] = [];
      for await (const chunk of body) chunks.push(chunk);
      return { text: Buffer.concat(chunks).toString(), sent: wasSent() };
    } catch (error) {
      return { why: (error as Error).message, sent: wasSent() };
    }
  };
  return { call, close: () => client.close() };
}

const echo: RequestListener = (request, response) => void request.pipe(response);

test("[FD26] a realm is called over TLS where its authority is trusted; otherwise nothing is sent", async (t) => {
  await using scope = openScope();
  const { ca, server } = makeTlsCertificates(scope);
  const https = createTlsServer({ cert: readFileSync(server.cert), key: readFileSync(server.key) }, echo);
  t.after(() => https.close());
  const url = `https://localhost:${await listening(https)}`;
  const untrusting = open(url);
  const { why, sent } = await untrusting.call();
  untrusting.close();
  assert.match(why ?? "", /certificate/);
  assert.equal(sent, false);
  const before = tls.getCACertificates("default");
  tls.setDefaultCACertificates([...before, readFileSync(ca, "utf8")]);
  t.after(() => tls.setDefaultCACertificates(before));
  const trusting = open(url);
  assert.deepEqual(await trusting.call(), { text: "hello", sent: true });
  trusting.close();
});

test("[FD26] a connection that takes longer than 3 s is given up, and nothing is sent", async (t) => {
  const silent = createTcp();
  t.after(() => silent.close());
  const on = open(`https://127.0.0.1:${await listening(silent)}`);
  assert.deepEqual(await on.call(), { why: "no connection within 3 s", sent: false });
  on.close();
});

test("an answer that is too large is refused", async (t) => {
  const large = createServer((_, response) => response.end("x".repeat(2_000)));
  t.after(() => large.close());
  const on = open(`http://127.0.0.1:${await listening(large)}`);
  assert.deepEqual(await on.call(), { why: "the answer has more than 1000 bytes", sent: true });
  on.close();
});

test("[FD26] a call that has waited for a connection until its caller was gone is never sent", async (t) => {
  const held: (() => void)[] = [];
  let received = 0;
  const slow = createServer((request, response) => {
    received += 1;
    held.push(() => echo(request, response));
  });
  t.after(() => slow.close());
  const on = open(`http://127.0.0.1:${await listening(slow)}`);
  const running = Array.from({ length: 32 }, () => on.call());
  await until("all connections are in use", () => received === 32);
  const gone = new AbortController();
  const waiting = on.call(gone.signal);
  const later = on.call();
  gone.abort(new Error("the caller is gone"));
  assert.deepEqual(await waiting, { why: "the caller is gone", sent: false });
  for (const answer of held.splice(0)) answer();
  await until("the later call is received", () => held.length === 1);
  for (const answer of held.splice(0)) answer();
  assert.deepEqual(await later, { text: "hello", sent: true });
  assert.ok((await Promise.all(running)).every(({ text }) => text === "hello"));
  assert.equal(received, 33);
  on.close();
});
