import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer as createTcp, type Server } from "node:net";
import { after, test } from "node:test";
import { createServer, setDefaultCACertificates } from "node:tls";
import { type KeyPair, makeCertificate } from "./certificates.fixture.ts";
import { openTools, servicePlan, surroundings } from "./plan.fixture.ts";
import { type CheckRun, runCheck } from "./run-check.ts";

const dayMs = 86_400_000;
const certificates = {
  long: makeCertificate(30),
  short: makeCertificate(10),
  ending: makeCertificate(1),
  misnamed: makeCertificate(30, "DNS:other.example"),
};
const stranger = makeCertificate(30);
setDefaultCACertificates(Object.values(certificates).map((pair) => pair.cert));
const tools = openTools();
const servers: Server[] = [];
after(async () => {
  for (const server of servers) server.close();
  await tools.close();
});

async function listen(server: Server): Promise<number> {
  servers.push(server.listen(0, "127.0.0.1"));
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
const serve = (pair: KeyPair): Promise<number> =>
  listen(createServer(pair, (socket) => socket.on("error", () => {})).on("tlsClientError", () => {}));

const check = (port: number, host = "localhost"): Promise<CheckRun> =>
  runCheck(
    servicePlan({ type: "tls", host, port, warnWithinMs: 14 * dayMs, critWithinMs: 3 * dayMs }),
    surroundings(),
    tools,
  );

for (const [what, pair, status, output] of [
  [
    "a long-lived certificate",
    certificates.long,
    "ok",
    /^certificate "test.example" of localhost:\d+ expires in 29 days, on 20/,
  ],
  ["one within the warning span", certificates.short, "warning", /expires in 9 days/],
  ["one within the critical span", certificates.ending, "critical", /expires in 23h59m$/],
  ["one of another name", certificates.misnamed, "critical", /certificate of another name$/],
  ["one of an unknown issuer", stranger, "critical", /self-signed certificate$/],
] as const)
  test(`2.15 tls ${what} is ${status}`, async () => {
    const run = await check(await serve(pair));
    assert.deepEqual([run.status, output.test(run.output)], [status, true], run.output);
    const [point] = run.perfdata;
    assert.deepEqual([point?.label, point?.uom, point?.warn, point?.crit], ["expires_in", "s", "1209600:", "259200:"]);
  });

test("2.15 tls by address asks for the address in the certificate", async () => {
  assert.equal((await check(await serve(certificates.long), "127.0.0.1")).status, "ok");
});

test("2.15 tls with what speaks none is critical", async () => {
  const run = await check(await listen(createTcp((socket) => socket.on("error", () => {}).end("220 hello\r\n"))));
  assert.equal(run.status, "critical");
  assert.match(run.output, /^TLS with localhost:\d+: no TLS spoken here$/);
});

test("2.15 tls an expired certificate is critical", async () => {
  const later = { ...tools, clock: { ...tools.clock, now: () => tools.clock.now() + 31 * dayMs } };
  const port = await serve(certificates.long);
  const spec = { type: "tls", host: "localhost", port, warnWithinMs: 0, critWithinMs: 0 } as const;
  const run = await runCheck(servicePlan(spec), surroundings(), later);
  assert.deepEqual([run.status, /expired on 20\d\d-\d\d-\d\d$/.test(run.output)], ["critical", true], run.output);
  assert.ok((run.perfdata[0]?.value ?? 0) < 0);
});
