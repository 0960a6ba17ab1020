import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTls } from "node:https";
import { type AddressInfo, createServer as createTcp, type Server } from "node:net";
import { after, test } from "node:test";
import { setDefaultCACertificates } from "node:tls";
import { makeCertificate } from "./certificates.fixture.ts";
import { openTools, servicePlan, surroundings } from "./plan.fixture.ts";
import { type CheckRun, runCheck } from "./run-check.ts";

const trusted = makeCertificate(30);
const stranger = makeCertificate(30);
const misnamed = makeCertificate(30, "DNS:other.example");
setDefaultCACertificates([trusted.cert, misnamed.cert]);
const tools = openTools();
const servers: (Server & { closeAllConnections?(): void })[] = [];
after(async () => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections?.();
  }
  await tools.close();
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
const port6 = await listen(createServer(site), "::1");
const tlsPort = await listen(createTls(trusted, site));
const strangerPort = await listen(createTls(stranger, site));
const misnamedPort = await listen(createTls(misnamed, site));
const babble = await listen(createTcp((socket) => socket.on("error", () => {}).end("SSH-2.0-x\r\n")));

const http = (url: string, timeoutMs = 10_000): Promise<CheckRun> =>
  runCheck(servicePlan({ type: "http", url }, timeoutMs), surroundings(), tools);
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
  ["B37 an endless body", `${base}/endless`, "ok", /^HTTP 200 OK - more than 1048576 bytes, the rest unread in/],
  ["B37 endless headers", `${base}/heads`, "critical", /headers beyond 16 KiB$/],
  ["a body that breaks off", `${base}/short`, "critical", /connection closed within the answer$/],
  ["something else than HTTP", `http://127.0.0.1:${babble}/`, "critical", /no HTTP spoken here/],
  ["a user in the URL", `http://me:hush@127.0.0.1:${port}/user`, "ok", /^HTTP 200/],
  ["the host's name and port", `http://localhost:${port}/host`, "ok", /^HTTP 200/],
  ["IPv6", `http://[::1]:${port6}/code/200`, "ok", /^HTTP 200/],
  ["TLS", `https://localhost:${tlsPort}/code/200`, "ok", /^HTTP 200/],
  ["TLS with an address", `https://127.0.0.1:${tlsPort}/code/200`, "ok", /^HTTP 200/],
  [
    "TLS of an unknown issuer",
    `https://localhost:${strangerPort}/code/200`,
    "critical",
    /^TLS with localhost:\d+: self-signed/,
  ],
  ["TLS of another name", `https://localhost:${misnamedPort}/code/200`, "critical", /certificate of another name$/],
  [
    "TLS with what speaks none",
    `https://127.0.0.1:${port}/code/200`,
    "critical",
    /^TLS with 127\.0\.0\.1:\d+: no TLS spoken here/,
  ],
  ["a closed port", "http://127.0.0.1:1/", "critical", /^cannot connect to 127\.0\.0\.1:1: connection refused$/],
  ["what is no URL", "nonsense", "unknown", /^the check's url is none$/],
] as const)
  test(`http ${what} is ${status}`, async () => {
    const run = await http(url);
    assert.deepEqual([run.status, output.test(run.output)], [status, true], run.output);
    assert.ok(!run.output.includes("hush"), "B35 no secret in the output");
  });

test("http times every phase", async () => {
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
    "each phase took its time",
  );
  assert.ok(phases.reduce((sum, s) => sum + s, 0) <= time + 1e-5, "the phases are parts of the whole");
});

test("2.1.12 http without an answer is critical at its timeout", async () => {
  const run = await http(`${base}/silence`, 300);
  assert.deepEqual([run.status, run.output], ["critical", "http check timed out after 300ms"]);
});
