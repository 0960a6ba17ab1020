import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setDefaultCACertificates } from "node:tls";
import { makeServerCertificate } from "@realmwatch/agent/checks/connect/certificates.fixture";
import { checkEnvironment, openTestDependencies, servicePlan } from "@realmwatch/agent/checks/plan.fixture";
import { type CheckRun, runCheck } from "@realmwatch/agent/checks/run-check";
import { ipv6SkipReason } from "@realmwatch/shared/platform/testing/ipv6.fixture";
import { startNginx } from "./nginx.ts";
import { lacks, type ServerProcess } from "./server-process.ts";

const skip = lacks("nginx") || lacks("openssl");
const dependencies = openTestDependencies();
let nginx: ServerProcess | undefined;
before(async () => {
  if (skip !== false) return;
  const pair = makeServerCertificate(30, "DNS:localhost,IP:127.0.0.2");
  setDefaultCACertificates([pair.cert]);
  nginx = await startNginx(pair);
});
after(async () => {
  await dependencies.close();
  await nginx?.stop();
});

/** Checks `path` of nginx. */
function http(path: string, at = "http://127.0.0.1"): Promise<CheckRun> {
  const url = `${at}:${nginx?.port}${path}`;
  return runCheck(servicePlan({ type: "http", url }), checkEnvironment(), dependencies);
}

for (const [what, path, status, output, at] of [
  ["a page", "/hello", "ok", /^HTTP 200 OK - 6 bytes in \d/],
  ["a page over IPv6", "/hello", "ok", /^HTTP 200/, "http://[::1]"],
  ["a page over TLS", "/hello", "ok", /^HTTP 200 OK - 6 bytes/, "https://127.0.0.2"],
  [
    "TLS to a server without TLS",
    "/hello",
    "critical",
    /^TLS with 127\.0\.0\.1:\d+: the server does not speak TLS$/,
    "https://127.0.0.1",
  ],
  ["plain HTTP where TLS is spoken", "/hello", "warning", /^HTTP 400 Bad Request/, "http://127.0.0.2"],
  ["a missing page", "/gone", "warning", /^HTTP 404 Not Found/],
  ["a teapot", "/teapot", "warning", /^HTTP 418/],
  ["a broken page", "/broken", "critical", /^HTTP 503/],
  ["a redirect", "/once", "ok", /^HTTP 200/],
  ["a redirect to IPv6", "/other", "ok", /^HTTP 200/],
  ["a redirect with a password", "/secret", "warning", /^HTTP 404/],
  ["a redirect within the origin, which keeps the user", "/guarded", "ok", /^HTTP 204/, "http://me:hush@127.0.0.1"],
  [
    "a redirect to another server, which does not receive the user",
    "/elsewhere",
    "warning",
    /^HTTP 401/,
    "http://me:hush@127.0.0.1",
  ],
  ["a redirect loop", "/loop", "critical", /^more than 5 redirects$/],
  ["a server that hangs up", "/hangs-up", "critical", /^no answer from 127\.0\.0\.1:\d+: connection (closed|reset)$/],
  ["a mebibyte", "/limit", "ok", /^HTTP 200 OK - 1048576 bytes/],
  ["a tebibyte", "/endless", "ok", /^HTTP 200 OK - more than 1048576 bytes, the rest unread/],
] as const)
  test(`[NC2] http to nginx: ${what} is ${status}`, {
    skip: skip || (/IPv6|another server/.test(what) && ipv6SkipReason),
  }, async () => {
    const run = await http(path, at);
    assert.deepEqual([run.status, output.test(run.output)], [status, true], run.output);
    assert.doesNotMatch(JSON.stringify(run), /hush/);
  });

test("[NC2] http measures the phases of TLS", { skip }, async () => {
  const { perfdata } = await http("/hello", "https://127.0.0.2");
  const point = (label: string): number => perfdata.find((each) => each.label === label)?.value ?? Number.NaN;
  const phases = ["time_dns", "time_connect", "time_tls", "time_firstbyte"].map(point);
  assert.ok(phases.every((seconds) => seconds >= 0) && point("time_tls") > 0);
  assert.ok(phases.reduce((sum, seconds) => sum + seconds, 0) <= point("time") + 1e-5);
  assert.equal(point("size"), 6);
});

test("[NC8] hundreds of endless bodies use no memory", { skip }, async () => {
  const round = (): Promise<CheckRun[]> => Promise.all(Array.from({ length: 20 }, () => http("/endless")));
  await round();
  const beforeBytes = process.memoryUsage().rss;
  for (let left = 10; left > 0; left--) await round();
  assert.ok(process.memoryUsage().rss - beforeBytes < 150 * 2 ** 20);
});
