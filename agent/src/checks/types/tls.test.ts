import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer as createTcp, type Server } from "node:net";
import { after, test } from "node:test";
import { createSecureContext, createServer, setDefaultCACertificates } from "node:tls";
import type { Clock } from "@realmwatch/shared/model/clock";
import { ok } from "@realmwatch/shared/model/result";
import { allowAllOutbound } from "@realmwatch/shared/platform/network/outbound-policy";
import { ipv6SkipReason } from "@realmwatch/shared/platform/testing/ipv6.fixture";
import type { CheckDependencies } from "../check-type.ts";
import {
  type CertificateKeyPair,
  makeCertificateChain,
  makeServerCertificate,
} from "../connect/certificates.fixture.ts";
import { checkEnvironment, openTestDependencies, servicePlan } from "../plan.fixture.ts";
import { type CheckRun, runCheck } from "../run-check.ts";

const dayMs = 86_400_000;
const certificates = {
  long: makeServerCertificate(30),
  short: makeServerCertificate(10),
  ending: makeServerCertificate(1),
  misnamed: makeServerCertificate(30, "DNS:other.example"),
};
const stranger = makeServerCertificate(30);
const shortMiddle = makeCertificateChain({ intermediate: 10, leaf: 30 });
const shortLeaf = makeCertificateChain({ intermediate: 30, leaf: 10 });
setDefaultCACertificates([
  ...Object.values(certificates).map((pair) => pair.cert),
  ...[shortMiddle, shortLeaf].map(({ root }) => root),
]);
const dependencies = openTestDependencies();
const servers: Server[] = [];
after(async () => {
  for (const server of servers) server.close();
  await dependencies.close();
});

async function listen(server: Server, address = "127.0.0.1"): Promise<number> {
  servers.push(server.listen(0, address));
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
const serve = (pair: CertificateKeyPair): Promise<number> =>
  listen(createServer(pair, (socket) => socket.on("error", () => {})).on("tlsClientError", () => {}));

const spec = { type: "tls", host: "localhost", warnWithinMs: 14 * dayMs, critWithinMs: 3 * dayMs } as const;
const check = (port: number, host = "localhost", more: Partial<CheckDependencies> = {}): Promise<CheckRun> =>
  runCheck(servicePlan({ ...spec, host, port }), checkEnvironment(), { ...dependencies, ...more });
const clockAhead = (ms: number): Clock => ({ ...dependencies.clock, now: () => dependencies.clock.now() + ms });

for (const [what, pair, status, output] of [
  [
    "a long-lived certificate",
    certificates.long,
    "ok",
    /^certificate "test.example" of localhost:\d+ expires in 29 days, on 20/,
  ],
  ["a certificate within the warning span", certificates.short, "warning", /expires in 9 days/],
  ["a certificate within the critical span", certificates.ending, "critical", /expires in 23h59m$/],
  ["a certificate for another name", certificates.misnamed, "critical", /certificate is for another name$/],
  ["a certificate of an unknown issuer", stranger, "critical", /self-signed certificate$/],
] as const)
  test(`[NC9] tls with ${what} is ${status}`, async () => {
    const run = await check(await serve(pair));
    assert.deepEqual([run.status, output.test(run.output)], [status, true], run.output);
    const [point] = run.perfdata;
    assert.deepEqual([point?.label, point?.uom, point?.warn, point?.crit], ["expires_in", "s", "1209600:", "259200:"]);
  });

test("[NC9] tls to an address requires the address in the certificate", async () => {
  assert.equal((await check(await serve(certificates.long), "127.0.0.1")).status, "ok");
});

test("[NC9] tls to a server without TLS is critical", async () => {
  const run = await check(await listen(createTcp((socket) => socket.on("error", () => {}).end("220 hello\r\n"))));
  assert.equal(run.status, "critical");
  assert.match(run.output, /^TLS with localhost:\d+: the server does not speak TLS$/);
});

test("[NC9] tls with an expired certificate is critical", async () => {
  const port = await serve(certificates.long);
  const run = await check(port, "localhost", { clock: clockAhead(31 * dayMs) });
  assert.deepEqual([run.status, /expired on 20\d\d-\d\d-\d\d$/.test(run.output)], ["critical", true], run.output);
  assert.ok((run.perfdata[0]?.value ?? 0) < 0);
});

test("[NC9] tls with a certificate that is not yet valid is critical", async () => {
  const run = await check(await serve(certificates.long), "localhost", { clock: clockAhead(-2 * dayMs) });
  assert.deepEqual([run.status, / is not valid before 20\d\d-/.test(run.output)], ["critical", true], run.output);
});

test("[NC4] tls includes the limits in the warning and critical spans", async () => {
  const port = await serve(certificates.long);
  const endsAtMs = new X509Certificate(certificates.long.cert).validToDate.getTime();
  const statusWith = async (leftMs: number): Promise<string> =>
    (await check(port, "localhost", { clock: { ...dependencies.clock, now: () => endsAtMs - leftMs } })).status;
  for (const [leftMs, status] of [
    [14 * dayMs + 1, "ok"],
    [14 * dayMs, "warning"],
    [3 * dayMs + 1, "warning"],
    [3 * dayMs, "critical"],
  ] as const)
    assert.equal(await statusWith(leftMs), status, `${leftMs} ms left`);
});

for (const [what, chain, name] of [
  ["an intermediate", shortMiddle, '"middle", number 2 in the chain'],
  ["the server's own", shortLeaf, '"leaf"'],
] as const)
  test(`[NC4] tls judges the earliest expiry of all sent certificates: ${what}`, async () => {
    const run = await check(await serve({ key: chain.key, cert: chain.leaf + chain.middle + chain.root }));
    assert.equal(run.status, "warning");
    assert.match(run.output, new RegExp(`^certificate ${name} of localhost:\\d+ expires in 9 days`));
  });

test("[NC9] tls with a chain without its intermediate is critical", async () => {
  const run = await check(await serve({ key: shortLeaf.key, cert: shortLeaf.leaf }));
  assert.deepEqual([run.status, /certificate issuer is unknown$/.test(run.output)], ["critical", true], run.output);
});

test("[NC8] tls refuses a chain of hundreds of certificates", async () => {
  const cert = shortLeaf.leaf + shortLeaf.middle.repeat(500);
  const run = await check(await serve({ key: shortLeaf.key, cert }));
  assert.deepEqual([run.status, /: certificate chain too large$/.test(run.output)], ["critical", true], run.output);
});

test("[NC9] tls sends the server name (SNI), except for an address", async () => {
  let asked: string | undefined;
  const server = createServer({
    ...certificates.misnamed,
    SNICallback(name, done) {
      asked = name;
      done(null, createSecureContext(certificates.long));
    },
  });
  const port = await listen(server.on("tlsClientError", () => {}));
  const run = await check(port);
  assert.equal(run.status, "ok", run.output);
  assert.equal(asked, "localhost");
  const byAddress = await check(port, "127.0.0.1");
  assert.match(byAddress.output, /^127\.0\.0\.1:\d+: certificate is for another name$/);
});

test("[NC9] tls sends and verifies a name in ASCII and without its final dot", async () => {
  const pair = makeServerCertificate(30, "DNS:xn--bcher-kva.example,DNS:www.example");
  let asked: string | undefined;
  const server = createServer({
    ...pair,
    SNICallback(name, done) {
      asked = name;
      done(null);
    },
  });
  const port = await listen(server.on("tlsClientError", () => {}));
  const resolver = { outbound: allowAllOutbound, resolve: async () => ok(["127.0.0.1"]) };
  const trustedRoots = () => createSecureContext({ ca: pair.cert });
  for (const [host, name] of [
    ["www.example.", "www.example"],
    ["b\u00fccher.example", "xn--bcher-kva.example"],
  ] as const) {
    const run = await check(port, host, { resolver, trustedRoots });
    assert.deepEqual([run.status, asked], ["ok", name], run.output);
  }
});

test("tls works over IPv6", { skip: ipv6SkipReason }, async () => {
  const port = await listen(
    createServer(certificates.long, (socket) => socket.on("error", () => {})),
    "::1",
  );
  const run = await check(port, "::1");
  assert.deepEqual([run.status, run.output.includes(` of [::1]:${port} expires in 29 days`)], ["ok", true], run.output);
});
