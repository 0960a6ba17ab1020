import assert from "node:assert/strict";
import { type AddressInfo, createServer } from "node:net";
import { test } from "node:test";
import { loopbackHosts, loopbackNetworks } from "@realmwatch/shared/platform/network/loopback-hosts.fixture";
import { parseOutboundDeny } from "@realmwatch/shared/platform/network/outbound-policy";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { AttemptResult } from "../../platform/outbound/delivery-result.ts";
import { parseRetryAfter } from "../../platform/outbound/outbound-http.ts";
import { makeSelfSignedCertificate } from "../connect/certificate.fixture.ts";
import { commonContactFields, openTestContactDependencies } from "../contact-dependencies.fixture.ts";
import { problemNotification } from "../notification.fixture.ts";
import { type HttpReceiver, openHttpReceiver } from "./http-receiver.fixture.ts";

const secretPath = "/hooks/c4naryc4nary?key=s3cr3ts3cr3t";

/** Makes one attempt at a receiver whose path is secret; the detail must not contain it. */
async function attemptAt(base: string, timeoutMs = 5_000, extraAuthorities?: string): Promise<AttemptResult> {
  await using open = openTestContactDependencies(extraAuthorities === undefined ? {} : { extraAuthorities });
  const contact = { ...commonContactFields, type: "webhook", url: base + secretPath, groupWaitMs: 0 } as const;
  const attempt = await open.send(contact, [problemNotification()], timeoutMs);
  assert.doesNotMatch(JSON.stringify(attempt), /c4nary|s3cr3t|127\.0\.0\.1|localhost/, "[DL15]");
  return attempt;
}

const untilClosed = ({ sockets }: HttpReceiver) =>
  until("all connections are closed", () => sockets.size === 0, { everyMs: 1, seen: () => sockets.size });

const answers: [status: number, expected: AttemptResult][] = [
  [200, { kind: "delivered" }],
  [204, { kind: "delivered" }],
  [400, { kind: "rejected", reason: "refused", detail: "answered 400" }],
  [404, { kind: "rejected", reason: "refused", detail: "answered 404" }],
  [410, { kind: "rejected", reason: "refused", detail: "answered 410" }],
  [408, { kind: "retry", reason: "server", detail: "answered 408", afterMs: undefined }],
  [500, { kind: "retry", reason: "server", detail: "answered 500", afterMs: undefined }],
  [503, { kind: "retry", reason: "server", detail: "answered 503", afterMs: undefined }],
];
for (const [status, expected] of answers)
  test(`[DL7] a response of ${status} is ${expected.kind}`, async () => {
    await using receiver = await openHttpReceiver((response) => response.writeHead(status).end());
    assert.deepEqual(await attemptAt(receiver.url), expected);
  });

test("[DL7] a 429 response delays the next attempt by its Retry-After", async () => {
  await using receiver = await openHttpReceiver((response) => response.writeHead(429, { "retry-after": "7" }).end());
  const detail = "answered 429: too many messages";
  assert.deepEqual(await attemptAt(receiver.url), { kind: "retry", reason: "rate_limited", detail, afterMs: 7_000 });
});

test("Retry-After is a number of seconds or a date", () => {
  const nowMs = Date.UTC(2026, 10, 21, 9);
  assert.equal(parseRetryAfter("120", nowMs), 120_000);
  assert.equal(parseRetryAfter("Sat, 21 Nov 2026 09:01:00 GMT", nowMs), 60_000);
  assert.equal(parseRetryAfter("Sat, 21 Nov 2026 08:00:00 GMT", nowMs), 0);
  for (const nothing of [undefined, "", "soon", "-1", "1e9", "99999999999999"])
    assert.equal(parseRetryAfter(nothing, nowMs), undefined);
});

test("[DL16] redirects are not followed", async () => {
  await using target = await openHttpReceiver();
  for (const location of [`${target.url}/x`, "http://169.254.169.254/latest/meta-data/", "/loop"]) {
    await using receiver = await openHttpReceiver((response) => response.writeHead(307, { location }).end());
    const detail = "answered 307: redirects are not followed";
    assert.deepEqual(await attemptAt(receiver.url), { kind: "rejected", reason: "refused", detail });
  }
  assert.deepEqual(target.received, []);
});

test("[DL7] a receiver that hangs times out", async () => {
  await using receiver = await openHttpReceiver(() => {});
  const attempt = await attemptAt(receiver.url, 300);
  assert.deepEqual(attempt, { kind: "retry", reason: "timeout", detail: "no answer in time", afterMs: undefined });
  await untilClosed(receiver);
});

test("[DL7] slow headers time out", async () => {
  await using server = createServer((socket) => {
    const drip = setInterval(() => socket.write("x"), 20);
    socket.write("HTTP/1.1 200 OK\r\nX-Slow: ");
    socket.on("close", () => clearInterval(drip)).on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  assert.equal((await attemptAt(`http://127.0.0.1:${port}`, 400)).kind, "retry");
});

test("[DL16] an endless body is cut off", async () => {
  let written = 0;
  await using receiver = await openHttpReceiver((response) => {
    const chunk = Buffer.alloc(65_536, "x");
    const pour = (): void => {
      while (!response.destroyed && response.write(chunk)) written += chunk.length;
      written += chunk.length;
    };
    response
      .writeHead(200)
      .on("drain", pour)
      .on("error", () => {});
    pour();
  });
  assert.deepEqual(await attemptAt(receiver.url), { kind: "delivered" });
  await untilClosed(receiver);
  assert.ok(written < 32 * 1024 * 1024, `${written} bytes`);
});

test("[DL16] a body of one byte a second delays nothing", async () => {
  await using receiver = await openHttpReceiver((response) => {
    const drip = setInterval(() => response.write("x"), 1_000);
    response
      .writeHead(200)
      .on("close", () => clearInterval(drip))
      .write("x");
  });
  assert.deepEqual(await attemptAt(receiver.url), { kind: "delivered" });
});

test("[DL7] a reset connection is retried", async () => {
  await using server = createServer((socket) => socket.once("data", () => socket.resetAndDestroy()));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const attempt = await attemptAt(`http://127.0.0.1:${port}`);
  assert.ok(attempt.kind === "retry" && attempt.reason === "connect", JSON.stringify(attempt));
});

test("[DL7] a refused connection, another protocol and an unknown name are retried", async () => {
  await using server = createServer((socket) =>
    socket
      .resume()
      .on("error", () => {})
      .end("SSH-2.0-OpenSSH_9\r\n"),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const noHttp = await attemptAt(`http://127.0.0.1:${port}`);
  assert.ok(noHttp.kind === "retry" && noHttp.reason === "connect", JSON.stringify(noHttp));
  await new Promise((resolve) => server.close(resolve));
  const refused = await attemptAt(`http://127.0.0.1:${port}`);
  const failure = { kind: "retry", reason: "connect", detail: "connection refused", afterMs: undefined };
  assert.deepEqual(refused, { ...failure, mayHaveArrived: false });
  const nameless = await attemptAt("http://does-not-exist.invalid");
  assert.ok(nameless.kind === "retry" && nameless.reason === "dns", JSON.stringify(nameless));
});

test("[DL16] a receiver with an invalid certificate receives nothing", async () => {
  const cases: [
    what: string,
    certificate: Parameters<typeof makeSelfSignedCertificate>[0],
    trusted: boolean,
    detail: RegExp,
  ][] = [
    ["self-signed", {}, false, /self-signed certificate/],
    ["wrong host", { names: "DNS:other.example" }, true, /certificate is for another name/],
    ["expired", { until: "20200201000000Z" }, true, /certificate has expired/],
  ];
  for (const [what, certificate, trusted, detail] of cases) {
    const pair = makeSelfSignedCertificate(certificate);
    await using receiver = await openHttpReceiver(undefined, pair);
    const attempt = await attemptAt(receiver.url, 5_000, trusted ? pair.cert : undefined);
    assert.ok(attempt.kind === "retry" && attempt.reason === "tls", `${what}: ${JSON.stringify(attempt)}`);
    assert.match(attempt.detail, detail);
    assert.deepEqual(receiver.received, []);
  }
});

test("[DL16] a valid certificate is trusted", async () => {
  const pair = makeSelfSignedCertificate();
  await using receiver = await openHttpReceiver(undefined, pair);
  assert.deepEqual(await attemptAt(receiver.url, 5_000, pair.cert), { kind: "delivered" });
});

test("plain HTTP instead of TLS is a TLS failure", async () => {
  await using receiver = await openHttpReceiver();
  const attempt = await attemptAt(receiver.url.replace("http:", "https:"));
  assert.ok(attempt.kind === "retry" && attempt.reason === "tls", JSON.stringify(attempt));
});

test("[PT9] no contact is notified at an address that -outbound-deny has, in whatever form it is given", async () => {
  await using receiver = await openHttpReceiver();
  const outbound = parseOutboundDeny(loopbackNetworks);
  assert.ok(outbound.ok);
  await using open = openTestContactDependencies({ outbound: outbound.value });
  const detail = "connections to its address are denied by -outbound-deny";
  for (const host of loopbackHosts) {
    const url = receiver.url.replace("127.0.0.1", host);
    const contact = { ...commonContactFields, type: "webhook", url, groupWaitMs: 0 } as const;
    const attempt = await open.send(contact, [problemNotification()]);
    assert.deepEqual(attempt, { kind: "rejected", reason: "setup", detail }, host);
  }
  assert.equal(receiver.received.length, 0);
});
