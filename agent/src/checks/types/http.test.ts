import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTls } from "node:https";
import { type AddressInfo, createServer as createTcp, type Server } from "node:net";
import { after, test } from "node:test";
import { setDefaultCACertificates } from "node:tls";
import { ipv6SkipReason } from "@realmwatch/shared/platform/testing/ipv6.fixture";
import { makeServerCertificate } from "../connect/certificates.fixture.ts";
import { checkEnvironment, openTestDependencies, servicePlan } from "../plan.fixture.ts";
import { type CheckRun, runCheck } from "../run-check.ts";

const trusted = makeServerCertificate(30);
const stranger = makeServerCertificate(30);
const misnamed = makeServerCertificate(30, "DNS:other.example");
setDefaultCACertificates([trusted.cert, misnamed.cert]);
const dependencies = openTestDependencies();
const servers: (Server & { closeAllConnections?(): void })[] = [];
after(async () => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections?.();
  }
  await dependencies.close();
});
async function listen(server: Server, host = "127.0.0.1"): Promise<number> {
  servers.push(server.listen(0, host));
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const site: RequestListener = (request, response) => {
  const [, word = "", rest = ""] = (request.url ?? "").split("/");
  if (word === "code") return response.writeHead(Number(rest)).end("four");
  if (word === "hops")
    return response.writeHead(302, { location: rest === "0" ? "/code/200" : `/hops/${Number(rest) - 1}` }).end();
  if (word === "to") return response.writeHead(301, { location: decodeURIComponent(rest) }).end();
  if (word === "user")
    return response.writeHead(request.headers.authorization === `Basic ${btoa("me:hush")}` ? 200 : 401).end();
  if (word === "endless") {
    const more = (): void => {
      while (response.write("x".repeat(65_536)));
    };
    response.on("drain", more);
    return more();
  }
  if (word === "short")
    return void response.writeHead(200, { "content-length": "10" }).end("12", () => request.socket.destroy());
  if (word === "heads") return response.writeHead(200, { "x-long": "x".repeat(32_768) }).end();
  if (word === "host")
    return response.writeHead(request.headers.host === `localhost:${request.socket.localPort}` ? 200 : 400).end();
  return undefined; // Never answers.
};
const port = await listen(createServer(site));
const port6 = await listen(createServer(site), ipv6SkipReason ? "127.0.0.1" : "::1");
const tlsPort = await listen(createTls(trusted, site));
const strangerPort = await listen(createTls(stranger, site));
const misnamedPort = await listen(createTls(misnamed, site));
const babble = await listen(createTcp((socket) => socket.on("error", () => {}).end("SSH-2.0-x\r\n")));

const http = (url: string, timeoutMs = 10_000): Promise<CheckRun> =>
  runCheck(servicePlan({ type: "http", url }, timeoutMs), checkEnvironment(), dependencies);
const base = `http://127.0.0.1:${port}`;
const to = (location: string): string => `${base}/to/${encodeURIComponent(location)}`;

for (const [what, url, status, output] of [
  ["200", `${base}/code/200`, "ok", /^HTTP 200 OK - 4 bytes in \d/],
  ["204", `${base}/code/204`, "ok", /^HTTP 204/],
  ["304", `${base}/code/304`, "ok", /^HTTP 304/],
  ["302 without a location", `${base}/code/302`, "ok", /^HTTP 302/],
  ["404", `${base}/code/404`, "warning", /^HTTP 404 Not Found/],
  ["503", `${base}/code/503`, "critical", /^HTTP 503 Service Unavailable/],
  ["five redirects", `${base}/hops/4`, "ok", /^HTTP 200/],
  ["six redirects", `${base}/hops/5`, "critical", /^more than 5 redirects$/],
  ["a redirect to another scheme", to("ftp://127.0.0.1/x"), "critical", /^redirect to ftp: refused/],
  ["a redirect to a file", to("file:///etc/passwd"), "critical", /^redirect to file: refused/],
  ["a redirect to TLS", to(`https://localhost:${tlsPort}/code/200`), "ok", /^HTTP 200/],
  ["a redirect elsewhere", to(`http://[::1]:${port6}/code/404`), "warning", /^HTTP 404/],
  ["an endless body", `${base}/endless`, "ok", /^HTTP 200 OK - more than 1048576 bytes, the rest unread in/],
  ["endless headers", `${base}/heads`, "critical", /headers larger than 16 KiB$/],
  ["a body that breaks off", `${base}/short`, "critical", /connection closed within the answer$/],
  ["another protocol", `http://127.0.0.1:${babble}/`, "critical", /the server does not speak HTTP/],
  ["a user in the URL", `http://me:hush@127.0.0.1:${port}/user`, "ok", /^HTTP 200/],
  ["the host's name and port", `http://localhost:${port}/host`, "ok", /^HTTP 200/],
  ["IPv6", `http://[::1]:${port6}/code/200`, "ok", /^HTTP 200/],
  ["TLS", `https://localhost:${tlsPort}/code/200`, "ok", /^HTTP 200/],
  ["TLS with an address", `https://127.0.0.1:${tlsPort}/code/200`, "ok", /^HTTP 200/],
  [
    "TLS with an unknown issuer",
    `https://localhost:${strangerPort}/code/200`,
    "critical",
    /^TLS with localhost:\d+: self-signed/,
  ],
  [
    "TLS with a certificate for another name",
    `https://localhost:${misnamedPort}/code/200`,
    "critical",
    /certificate is for another name$/,
  ],
  [
    "TLS with a server without TLS",
    `https://127.0.0.1:${port}/code/200`,
    "critical",
    /^TLS with 127\.0\.0\.1:\d+: the server does not speak TLS/,
  ],
  ["a closed port", "http://127.0.0.1:1/", "critical", /^cannot connect to 127\.0\.0\.1:1: connection refused$/],
  ["an invalid URL", "nonsense", "unknown", /^the check's url is not a URL$/],
  ["a URL of another scheme", "file:///etc/passwd", "unknown", /^the check's url is neither http nor https$/],
  ["a redirect within IPv6 with a zone", `http://[::1%25lo]:${port6}/hops/1`, "ok", /^HTTP 200/],
  [
    "an address with a zone",
    "http://me@[::1%lo]:1/",
    "critical",
    /^cannot connect to \[::1%lo\]:1: connection refused$/,
  ],
] as const)
  test(`[NC2] http ${what} is ${status}`, { skip: /::1|%3A%3A1/.test(url) && ipv6SkipReason }, async () => {
    const run = await http(url);
    assert.deepEqual([run.status, output.test(run.output)], [status, true], run.output);
    assert.ok(!run.output.includes("hush"), "no secret in the output");
  });

const length2 = "content-length: 2\r\n";
for (const [what, answer, status, output, stays] of [
  ["HTTP/1.0 whose end is the connection's", "HTTP/1.0 200 OK\r\n\r\nhi", "ok", /^HTTP 200 OK - 2 bytes/],
  ["HTTP/1.0 that keeps alive", `HTTP/1.0 200 OK\r\n${length2}\r\nhi`, "ok", /^HTTP 200 OK - 2 bytes/, true],
  ["HTTP/0.9", "<html>hi</html>", "critical", /: the server does not speak HTTP/],
  ["100 before the answer", `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 X\r\n${length2}\r\nhi`, "warning", /^HTTP 404/],
  ["103 before the answer", `HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 200 OK\r\n${length2}\r\nhi`, "ok", /^HTTP 200/],
  ["an unrequested 101", "HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n", "critical", /^HTTP 101/, true],
  [
    "an offer to upgrade",
    `HTTP/1.1 200 OK\r\nupgrade: h2\r\nconnection: upgrade\r\n${length2}\r\nhi`,
    "ok",
    /^HTTP 200/,
    true,
  ],
  [
    "chunks with trailers",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2;a=b\r\nhi\r\n0\r\nx: y\r\n\r\n",
    "ok",
    / 2 bytes/,
    true,
  ],
  [
    "chunks that break off",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n",
    "critical",
    /within the answer$/,
  ],
  [
    "a length beside chunks",
    `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n${length2}\r\n2\r\nhi\r\n0\r\n\r\n`,
    "ok",
    / 2 bytes/,
  ],
  ["lines without a carriage return", "HTTP/1.1 200 OK\ncontent-length: 2\n\nhi", "ok", /^HTTP 200 OK - 2 bytes/],
  ["a folded header", `HTTP/1.1 200 OK\r\nx: a\r\n b\r\n${length2}\r\nhi`, "ok", /^HTTP 200 OK - 2 bytes/],
  ["more than its length", `HTTP/1.1 200 OK\r\n${length2}\r\nhixxxx`, "ok", /^HTTP 200 OK - 2 bytes/],
  ["204 with a body", "HTTP/1.1 204 No\r\n\r\nhi", "ok", /^HTTP 204 No - 0 bytes/],
  ["no reason", `HTTP/1.1 200\r\n${length2}\r\nhi`, "ok", /^HTTP 200 - 2 bytes/],
  ["304 with the length of the omitted body", `HTTP/1.1 304 X\r\n${length2}\r\n`, "ok", /^HTTP 304/, true],
  ["399", "HTTP/1.1 399 X\r\ncontent-length: 0\r\n\r\n", "ok", /^HTTP 399/],
  ["499", "HTTP/1.1 499 X\r\ncontent-length: 0\r\n\r\n", "warning", /^HTTP 499/],
  ["999", "HTTP/1.1 999 X\r\ncontent-length: 0\r\n\r\n", "critical", /^HTTP 999/],
  ["1000", "HTTP/1.1 1000 X\r\ncontent-length: 0\r\n\r\n", "critical", /: the server does not speak HTTP/],
  ["no bytes", "", "critical", /: connection (closed|reset)$/],
  [
    "a redirect whose body does not end",
    `HTTP/1.1 302 X\r\nlocation: ${base}/code/404\r\n\r\nx`,
    "warning",
    /^HTTP 404/,
    true,
  ],
  [
    "a redirect to an invalid URL",
    "HTTP/1.1 302 X\r\nlocation: http://[::1\r\n\r\n",
    "critical",
    /redirects to an invalid URL$/,
  ],
] as [string, string, string, RegExp, true?][])
  test(`[NC2] http answered by ${what} is ${status}`, async () => {
    const server = createTcp((socket) => {
      socket.on("error", () => {}).once("data", () => (stays ? socket.write(answer) : socket.end(answer)));
    });
    const run = await http(`http://127.0.0.1:${await listen(server)}/`, 3_000);
    assert.deepEqual([run.status, output.test(run.output)], [status, true], run.output);
  });

test("http measures every phase", async () => {
  const { perfdata } = await http(`https://localhost:${tlsPort}/code/200`);
  const labels = ["time", "time_dns", "time_connect", "time_tls", "time_firstbyte", "size"];
  assert.deepEqual(
    perfdata.map((p) => p.label),
    labels,
  );
  const [time = 0, ...phases] = perfdata.map((p) => p.value ?? Number.NaN);
  const size = phases.pop();
  assert.equal(size, 4);
  assert.ok(
    phases.slice(1).every((s) => s > 0),
    "each phase is measured",
  );
  assert.ok(phases.reduce((sum, s) => sum + s, 0) <= time + 1e-5, "the sum of the phases is at most the total time");
});

test("[NC10] http without a response is critical at its timeout", async () => {
  const run = await http(`${base}/silence`, 300);
  assert.deepEqual([run.status, run.output], ["critical", "http check timed out after 300ms"]);
});
