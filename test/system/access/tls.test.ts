import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { connect, setDefaultCACertificates } from "node:tls";
import { freePort } from "@realmwatch/shared/platform/testing/free-port.fixture";
import { fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { makeTlsCertificates } from "@realmwatch/shared/platform/testing/tls-certificates.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { runRealmwatch } from "../../run/cli.ts";
import { startNats, startTestAgent, startTestAggregator, type TestProgram } from "../../run/processes.ts";

const certificates = makeTlsCertificates(fileScope());
const { ca, server, client } = certificates;
setDefaultCACertificates([readFileSync(ca, "utf8")]);
const tlsFlags = { "tls-cert": server.cert, "tls-key": server.key };
const config = `hosts: web1: {address: "127.0.0.1", check: {type: "passive", freshness_threshold: "1h", flap: {}}}\n`;

/** Serial number of the certificate that a port presents. */
const serialOf = ({ port }: TestProgram): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1" }, () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });
    socket.once("error", reject);
  });

test("[PT21] [PT22] [PT23] agent and aggregator serve TLS, and take a new certificate on SIGHUP or by themselves", async (t) => {
  const nats = await startNats(t);
  const flags = { ...tlsFlags, "nats-url": nats.url };
  const agent = await startTestAgent(t, { config, realm: "fra", flags });
  const centre = await startTestAggregator(t, { realms: "realms: fra: {}\n", flags });
  const before = await serialOf(agent);
  assert.equal(await serialOf(centre), before);

  certificates.renewServer();
  agent.signal("SIGHUP");
  await until("the agent has the new certificate", async () => (await serialOf(agent)) !== before);
  assert.match(agent.output(), /TLS certificate: loaded/);
  await until("the aggregator has it without a signal", async () => (await serialOf(centre)) !== before);

  const after = await serialOf(agent);
  const key = readFileSync(server.key);
  writeFileSync(server.key, "broken");
  agent.signal("SIGHUP");
  await until("the agent refuses the key", () =>
    /server\.key has no private key.*TLS certificate: refused/.test(agent.output()),
  );
  assert.equal(await serialOf(agent), after);
  assert.equal((await fetch(`${agent.base}/readyz`)).status, 200);
  writeFileSync(server.key, key);
});

test("[PT24] [PT25] realmwatch presents a certificate where the port requires one, and metrics need none", async (t) => {
  const metricsPort = await freePort();
  const metricsBase = `http://127.0.0.1:${metricsPort}`;
  const agent = await startTestAgent(t, {
    config,
    flags: { ...tlsFlags, "tls-client-ca": ca, "metrics-listen": `127.0.0.1:${metricsPort}` },
  });
  const run = (...args: string[]) => runRealmwatch([...args, "-server", agent.base], { env: { NO_COLOR: "1" } });
  const trusting = ["-ca", ca];
  const presenting = [...trusting, "-cert", client.cert, "-key", client.key];
  const listed = await run("status", "-o", "ndjson", ...presenting);
  assert.deepEqual([listed.code, listed.stderr], [0, ""]);
  assert.match(listed.stdout, /"web1"/);
  const anonymous = await run("status", ...trusting);
  assert.deepEqual([anonymous.code, anonymous.stdout], [1, ""]);
  assert.match(anonymous.stderr, /^realmwatch: https:\/\/\S+ cannot be reached: .*certificate required.*\n$/);
  const untrusting = await run("status");
  assert.match(untrusting.stderr, /cannot be reached: .*certificate/);

  assert.match((await run("capacity", "-for", "1s", ...presenting)).stderr, /with -metrics-listen, give that address/);
  const capacity = await runRealmwatch(["capacity", "-for", "1s", "-server", metricsBase]);
  assert.deepEqual([capacity.code, capacity.stderr], [0, ""]);
});

test("realmwatch refuses files that it cannot read, and a certificate without its key", async () => {
  const rows: [args: string[], message: RegExp][] = [
    [["-ca", "/nope"], /^realmwatch: -ca: \/nope cannot be read: ENOENT\n$/],
    [["-cert", client.cert], /^realmwatch: -cert and -key need each other: give both or none\n$/],
  ];
  for (const [args, message] of rows) {
    const { code, stderr } = await runRealmwatch(["status", ...args]);
    assert.equal(code, 2);
    assert.match(stderr, message);
  }
});
