import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openMetrics } from "@realmwatch/shared/platform/metrics/metrics";
import { type NatsBus, openNatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import type { NatsTlsFiles } from "@realmwatch/shared/platform/nats/nats-credential-files";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { startNatsServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { makeSelfSignedCertificate, type ServerKeyPair } from "../contacts/connect/certificate.fixture.ts";
import { natsDependency } from "./nats-publisher.ts";
import { publishMetrics } from "./publish-metrics.ts";
import { openPublisher, realmOf, silentLog } from "./publisher.fixture.ts";

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "realmwatch-nats-login-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function openBus(t: TestContext, url: string, tlsFiles?: NatsTlsFiles): NatsBus {
  const log = { ...silentLog };
  const bus = openNatsBus({
    ...{ url, credsFile: "", name: "test", clock: systemClock, log },
    ...(tlsFiles && { tlsFiles }),
  });
  t.after(() => bus.close());
  return bus;
}

test("-nats-ca, -nats-cert and -nats-key log in over TLS; without them the server is not trusted or refuses", async (t) => {
  const folder = folderOf(t);
  const pair = makeSelfSignedCertificate();
  const files = { ca: join(folder, "ca.pem"), cert: join(folder, "cert.pem"), key: join(folder, "key.pem") };
  writeFileSync(files.ca, pair.cert);
  writeFileSync(files.cert, pair.cert);
  writeFileSync(files.key, pair.key);
  const config = join(folder, "nats.conf");
  const { ca, cert, key } = files;
  writeFileSync(config, `tls { cert_file: "${cert}", key_file: "${key}", ca_file: "${ca}", verify: true }`);
  await using server = await startNatsServer(["-c", config]);

  const good = openBus(t, server.url, files);
  await until("connected", () => good.live(), { seen: good.connectionError });

  const untrusting = openBus(t, server.url);
  await until("the certificate is refused", () => /self.signed/i.test(untrusting.connectionError()), {
    seen: untrusting.connectionError,
  });
  const anonymous = openBus(t, server.url, { ca, cert: "", key: "" });
  const failed = () => !/not connected yet/.test(anonymous.connectionError());
  await until("the server refuses a client without certificate", failed);
  assert.equal(anonymous.live(), undefined);
});

test("[FD88] renewed files are used at the next connection, without a restart of the program", async (t) => {
  const folder = folderOf(t);
  const files = { ca: join(folder, "ca.pem"), cert: join(folder, "cert.pem"), key: join(folder, "key.pem") };
  const server = { cert: join(folder, "server.pem"), key: join(folder, "server-key.pem") };
  const write = ({ cert, key }: { cert: string; key: string }, pair: ServerKeyPair): void => {
    writeFileSync(cert, pair.cert);
    writeFileSync(key, pair.key);
  };
  const first = makeSelfSignedCertificate();
  writeFileSync(files.ca, first.cert);
  write(files, first);
  write(server, first);
  const config = join(folder, "nats.conf");
  const { ca } = files;
  writeFileSync(
    config,
    `tls { cert_file: "${server.cert}", key_file: "${server.key}", ca_file: "${ca}", verify: true }`,
  );
  await using nats = await startNatsServer(["-c", config]);
  const bus = openBus(t, nats.url, files);
  await until("connected", () => bus.live(), { seen: bus.connectionError });

  const second = makeSelfSignedCertificate();
  writeFileSync(ca, second.cert);
  write(server, second);
  write(files, { ...second, key: first.key });
  await nats.restart();
  assert.equal(bus.live(), undefined);
  write(files, second);
  await until("connected again", () => bus.live(), { seen: bus.connectionError });
  await bus.live()?.flush();
});

test("[PT6] a file for TLS to NATS that is not a regular file is reported, and the program goes on", async (t) => {
  const missing = join(folderOf(t), "missing");
  for (const ca of ["/dev/zero", missing]) {
    const bus = openBus(t, "nats://127.0.0.1:1", { ca, cert: "", key: "" });
    await until("the file is reported", () => bus.connectionError().startsWith(`${ca} cannot be read`), {
      seen: bus.connectionError,
    });
  }
});

test("with -nats-ca no connection is made without TLS", async (t) => {
  const folder = folderOf(t);
  const ca = join(folder, "ca.pem");
  writeFileSync(ca, makeSelfSignedCertificate().cert);
  await using server = await startNatsServer();
  const bus = openBus(t, server.url, { ca, cert: "", key: "" });
  await until("the missing TLS is reported", () => /tls/i.test(bus.connectionError()), { seen: bus.connectionError });
  assert.equal(bus.live(), undefined);
});

test("[NB3] a refused login is shown as such in readiness and metrics, also when it is refused later", async (t) => {
  const config = join(folderOf(t), "nats.conf");
  const accept = (password: string): void =>
    writeFileSync(config, `authorization { users = [{ user: agent, password: ${password} }] }`);
  accept("first");
  await using server = await startNatsServer(["-c", config]);
  const { publisher, bus } = openPublisher(t, { url: server.url.replace("//", "//agent:first@"), realm: realmOf([]) });
  const metrics = openMetrics({ version: "v0", commit: "unknown" });
  t.after(() => metrics.close());
  publishMetrics(metrics, { clock: systemClock, bus, state: publisher.state });
  const refused = async () => /^realmwatch_nats_login_refused (.+)$/m.exec((await metrics.render()).text)?.[1];
  await until("connected", () => bus.live());
  assert.equal(await refused(), "0");

  accept("second");
  await server.restart();
  await until("the login is refused", bus.loginRefused, { seen: bus.connectionError });
  assert.equal(await refused(), "1");
  assert.match(natsDependency(publisher.state()).detail, /^NATS refuses the login: /);

  accept("first");
  await server.restart();
  await until("connected again", () => bus.live(), { seen: bus.connectionError });
  assert.deepEqual([await refused(), bus.loginRefused()], ["0", false]);
});
