import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { Agent, request } from "node:https";
import { type TestContext, test } from "node:test";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import { promisify } from "node:util";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { atEnd, fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import {
  makeTlsCertificates,
  type TlsCertificates,
} from "@realmwatch/shared/platform/testing/tls-certificates.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { PemFiles } from "@realmwatch/shared/platform/tls/certificate-files";
import { openRaw } from "../raw-connection.ts";
import { openTestServer } from "../test-server.ts";

const certificates = makeTlsCertificates(fileScope());
const read = (path: string): string => readFileSync(path, "utf8");
const pemOf = ({ server, ca }: TlsCertificates, clientCa = false): PemFiles => ({
  cert: read(server.cert),
  key: read(server.key),
  ca: clientCa ? read(ca) : undefined,
});
const trusted = { ca: read(certificates.ca) };
const withCertificate = { ...trusted, cert: read(certificates.client.cert), key: read(certificates.client.key) };

/** Opens a test server with TLS. `use` gives it another certificate; `failed` has the reasons of failed handshakes. */
async function openTlsServer(t: TestContext, { clientCa = false, sniffMs = 60_000 } = {}) {
  let current = pemOf(certificates, clientCa);
  const failed: string[] = [];
  const tls = { current: () => current, onFailed: (_: string, reason: string) => void failed.push(reason) };
  const opened = await openTestServer(t, { tls, limits: { sniffMs } });
  return { ...opened, base: opened.server.url, failed, use: (next: PemFiles) => (current = next) };
}

const search = (base: string, nodeOptions: object, httpVersion: "1.1" | "2" = "1.1"): Promise<string> =>
  createClient(QueryService, createConnectTransport({ baseUrl: base, httpVersion, nodeOptions }))
    .listStatus({ search: "x" })
    .then(({ nextPageToken }) => nextPageToken);

/** Makes a TLS connection. Rejects when the handshake fails. */
async function handshake(t: TestContext, port: number, options: ConnectionOptions): Promise<TLSSocket> {
  const socket = connect({ port, host: "127.0.0.1", ...trusted, ...options });
  atEnd(t, () => socket.destroy());
  await once(socket, "secureConnect");
  socket.on("error", () => {});
  return socket;
}

test("[PT21] Connect, gRPC and gRPC-Web work over TLS, by HTTP/1.1 and HTTP/2", async (t) => {
  const { base } = await openTlsServer(t);
  assert.match(base, /^https:/);
  const common = { baseUrl: base, nodeOptions: trusted };
  for (const transport of [
    createConnectTransport({ ...common, httpVersion: "1.1" }),
    createConnectTransport({ ...common, httpVersion: "2" }),
    createGrpcTransport(common),
    createGrpcWebTransport({ ...common, httpVersion: "1.1" }),
    createGrpcWebTransport({ ...common, httpVersion: "2" }),
  ])
    assert.equal((await createClient(QueryService, transport).listStatus({ search: "x" })).nextPageToken, "x");
});

test("[PT21] the protocol is negotiated by ALPN, and TLS before 1.2 is refused", async (t) => {
  const { port, failed } = await openTlsServer(t);
  const negotiated = async (options: ConnectionOptions) => (await handshake(t, port, options)).alpnProtocol;
  assert.equal(await negotiated({ ALPNProtocols: ["h2", "http/1.1"] }), "h2");
  assert.equal(await negotiated({ ALPNProtocols: ["http/1.1"] }), "http/1.1");
  assert.equal(await negotiated({}), false);
  assert.equal((await handshake(t, port, { maxVersion: "TLSv1.2" })).getProtocol(), "TLSv1.2");
  assert.equal((await handshake(t, port, {})).getProtocol(), "TLSv1.3");
  await assert.rejects(negotiated({ ALPNProtocols: ["h3"] }));
  const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "ALL:@SECLEVEL=0" } as const;
  await assert.rejects(negotiated(old), /version/i);
  await until("both failures are reported", () => failed.length === 2, { seen: () => failed });
});

test("[PT21] curl and openssl agree with the port", async (t) => {
  const { base, port } = await openTlsServer(t);
  const run = promisify(execFile);
  const ask = ["-sS", "--cacert", certificates.ca, "-o", "/dev/null", "-w", "%{http_version} %{http_code}"];
  for (const [option, answer] of [
    ["--http1.1", "1.1 404"],
    ["--http2", "2 404"],
  ] as const)
    assert.equal((await run("curl", [...ask, option, `${base}/nope`])).stdout, answer);
  const shake = ["s_client", "-connect", `127.0.0.1:${port}`, "-CAfile", certificates.ca, "-alpn", "h2", "-brief"];
  const shaken = run("openssl", shake);
  shaken.child.stdin?.end();
  assert.match((await shaken).stderr, /Verification: OK/);
});

test("[PT24] a client without a certificate of the authority gets no further than the handshake", async (t) => {
  const { base, failed, searched } = await openTlsServer(t, { clientCa: true });
  const other = makeTlsCertificates(t);
  const foreign = { ...trusted, cert: read(other.client.cert), key: read(other.client.key) };
  for (const httpVersion of ["1.1", "2"] as const)
    for (const options of [trusted, foreign]) await assert.rejects(search(base, options, httpVersion));
  await until("the failures are reported", () => failed.length >= 4, { seen: () => failed });
  assert.deepEqual(new Set(failed), new Set(["CERT_SIGNATURE_FAILURE", "ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE"]));
  assert.deepEqual(searched, []);
  for (const httpVersion of ["1.1", "2"] as const) assert.equal(await search(base, withCertificate, httpVersion), "x");
});

test("[PT22] a new certificate is for new connections; existing ones go on", async (t) => {
  const { base, port, use } = await openTlsServer(t);
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ...trusted });
  atEnd(t, () => agent.destroy());
  const get = () =>
    new Promise<{ status: number | undefined; reused: boolean }>((resolve, reject) => {
      const sent = request(`${base}/nope`, { agent }, (response) => {
        response.resume().once("end", () => resolve({ status: response.statusCode, reused: sent.reusedSocket }));
      });
      sent.once("error", reject).end();
    });
  const session = connectHttp2(base, trusted);
  atEnd(t, () => session.destroy());
  const ask = async () => {
    const stream = session.request({ ":path": "/nope" });
    const [headers] = await once(stream.resume(), "response");
    return headers[":status"];
  };
  assert.deepEqual([(await get()).status, await ask()], [404, 404]);
  const renewed = makeTlsCertificates(t);
  use(pemOf(renewed));
  await assert.rejects(handshake(t, port, {}), /self-signed|unable to verify|signature/i);
  await handshake(t, port, { ca: read(renewed.ca) });
  assert.deepEqual([await get(), await ask()], [{ status: 404, reused: true }, 404]);
});

test("[IN7] handshakes that are hostile are closed, delay no other, and leave nothing behind", async (t) => {
  const { base, port, server, failed } = await openTlsServer(t, { sniffMs: 500 });
  const silent = await Promise.all(Array.from({ length: 50 }, () => openRaw(port)));
  const clientHello = Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00]);
  const slow = await openRaw(port);
  const drip = setInterval(() => slow.socket.write(clientHello.subarray(0, 1)), 50);
  atEnd(t, () => clearInterval(drip));
  const half = await openRaw(port);
  half.socket.write(clientHello);
  const plain = await openRaw(port);
  plain.socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  const preface = await openRaw(port);
  preface.socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  const garbage = await openRaw(port);
  garbage.socket.write(Buffer.alloc(100_000, 0xff));
  const reset = await openRaw(port);
  reset.socket.write(clientHello);
  reset.socket.resetAndDestroy();
  assert.deepEqual([await search(base, trusted), await search(base, trusted, "2")], ["x", "x"]);
  const hostile = [...silent, slow, half, plain, preface, garbage, reset];
  await Promise.all(hostile.map(({ closed }) => closed));
  for (const { received } of [plain, preface, garbage]) assert.doesNotMatch(received(), /HTTP/);
  await until("each failure is reported", () => failed.length === hostile.length, { seen: () => failed.length });
  await server.close(0);
  assert.equal(server.connections().open, 0);
});

test("[IN7] after its handshake a connection has the deadlines of any other", async (t) => {
  const { port, server } = await openTlsServer(t, { sniffMs: 500 });
  const idle = await handshake(t, port, {});
  const garbage = await handshake(t, port, {});
  garbage.write(Buffer.from([0, 1, 2, 3]));
  await Promise.all([once(idle.resume(), "close"), once(garbage.resume(), "close")]);
  await until("the server has closed both", () => server.connections().open === 0);
});

test("close ends handshakes and connections without a request at once", async (t) => {
  const { port, server } = await openTlsServer(t);
  const raw = await openRaw(port);
  const shaken = await handshake(t, port, {});
  const closed = once(shaken.resume(), "close");
  await until("the server has both", () => server.connections().open === 2);
  await server.close(600_000);
  await Promise.all([raw.closed, closed]);
});
