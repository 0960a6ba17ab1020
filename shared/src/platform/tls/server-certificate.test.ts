import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../model/manual-clock.fixture.ts";
import { atEnd } from "../testing/test-scope.fixture.ts";
import { makeTlsCertificates } from "../testing/tls-certificates.fixture.ts";
import { until } from "../testing/until.fixture.ts";
import { openServerCertificate } from "./server-certificate.ts";

const intervalMs = 10_000;

/** Opens the certificate of files made for the test. `logged` has the level, fields and message of each log line. */
async function open(t: TestContext, { clientCa = false } = {}) {
  const made = makeTlsCertificates(t);
  const logged: string[] = [];
  const note = (level: string) => (fields: object, text: string) =>
    void logged.push(`${level} ${JSON.stringify(fields)} ${text}`);
  const clock = manualClock(Date.now());
  const files = { ...made.server, clientCa: clientCa ? made.ca : undefined };
  const log = { info: note("info"), warn: note("warn"), error: note("error") } as never;
  const opened = await openServerCertificate({ files, clock, log, intervalMs });
  if (!opened.ok) throw new Error(opened.error);
  atEnd(t, () => opened.value.close());
  /** Lets one interval pass and waits until the files have been read. */
  const nextReading = async (): Promise<void> => {
    clock.advance(intervalMs);
    await until("the files were read", () => clock.nextInMs() === intervalMs);
  };
  return { made, files, logged, clock, certificate: opened.value, nextReading };
}

test("[PT21] files that are not valid together are refused with the flag and the file", async (t) => {
  const { server, client, ca } = makeTlsCertificates(t);
  const garbage = `${server.cert}.garbage`;
  writeFileSync(garbage, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
  const files = { ...server, clientCa: ca };
  const rows: [files: Partial<typeof files>, error: string][] = [
    [{ cert: "/nope" }, "-tls-cert: /nope cannot be read: ENOENT"],
    [{ key: "/dev" }, "-tls-key: /dev cannot be read: EISDIR"],
    [{ clientCa: "/dev/null" }, "-tls-client-ca: /dev/null cannot be read: it is not a regular file"],
    [{ cert: server.key }, `-tls-cert: ${server.key} has no certificate in PEM`],
    [{ cert: garbage }, `-tls-cert: ${garbage} has a certificate that cannot be parsed`],
    [{ key: server.cert }, `-tls-key: ${server.cert} has no private key in PEM, or one that is encrypted`],
    [{ key: client.key }, `-tls-key: ${client.key} is not the key of the certificate in ${server.cert}`],
    [{ clientCa: server.key }, `-tls-client-ca: ${server.key} has no certificate in PEM`],
  ];
  for (const [changed, error] of rows) {
    const opened = await openServerCertificate({
      files: { ...files, ...changed },
      clock: manualClock(),
      log: console as never,
    });
    assert.deepEqual(opened, { ok: false, error });
  }
});

test("[PT22] changed files are read at the next interval and logged once", async (t) => {
  const { made, certificate, logged, nextReading } = await open(t);
  const before = certificate.current();
  await nextReading();
  assert.deepEqual([certificate.current() === before, logged], [true, []]);
  made.renewServer(60);
  await nextReading();
  assert.equal(certificate.current().cert, readFileSync(made.server.cert, "utf8"));
  const { validToDate } = new X509Certificate(certificate.current().cert);
  assert.equal(certificate.notAfterMs(), validToDate.getTime());
  assert.equal(logged.length, 1);
  assert.match(logged[0] ?? "", /^info \{"file":".*server\.pem","expires":"20.*Z"\} TLS certificate: loaded$/);
});

test("[PT22] the expiry is that of the first certificate of the file to expire", async (t) => {
  const { made, certificate, nextReading } = await open(t);
  const authority = readFileSync(made.ca, "utf8");
  made.renewServer(60);
  writeFileSync(made.server.cert, readFileSync(made.server.cert, "utf8") + authority);
  await nextReading();
  assert.equal(certificate.notAfterMs(), new X509Certificate(authority).validToDate.getTime());
});

test("[PT23] a broken pair leaves the previous one in use, is logged once, and is forgotten when it is mended", async (t) => {
  const { made, certificate, logged, nextReading } = await open(t);
  const before = certificate.current();
  const { cert, key } = made.server;
  const oldKey = readFileSync(key);
  made.renewServer();
  const newKey = readFileSync(key);
  writeFileSync(key, oldKey);
  await nextReading();
  await nextReading();
  const mismatch = `-tls-key: ${key} is not the key of the certificate in ${cert}`;
  assert.deepEqual([certificate.current() === before, certificate.error()], [true, mismatch]);
  assert.equal(logged.length, 1);
  assert.match(logged[0] ?? "", /^error .*TLS certificate: refused; the previous one stays in use$/);
  assert.ok(logged[0]?.includes(mismatch));
  writeFileSync(key, newKey);
  await nextReading();
  assert.deepEqual([certificate.current().key, certificate.error()], [newKey.toString(), ""]);
  rmSync(key);
  await nextReading();
  assert.equal(certificate.error(), `-tls-key: ${key} cannot be read: ENOENT`);
  writeFileSync(key, newKey);
  await nextReading();
  assert.equal(certificate.error(), "");
});

test("[PT22] a requested reload reads the files at once and logs its outcome, also an unchanged one", async (t) => {
  const { made, certificate, logged } = await open(t, { clientCa: true });
  await certificate.reload();
  made.renew();
  await certificate.reload();
  assert.equal(certificate.current().ca, readFileSync(made.ca, "utf8"));
  writeFileSync(made.server.cert, "");
  await certificate.reload();
  await certificate.reload();
  assert.deepEqual(
    logged.map((line) => line.split(" ")[0]),
    ["info", "info", "error", "error"],
  );
});

test("[PT23] an expired certificate is used, and warned of", async (t) => {
  const { certificate, clock, logged } = await open(t);
  clock.jumpWall(31 * 86_400_000);
  await certificate.reload();
  assert.match(logged.at(-1) ?? "", /^warn .*the TLS certificate has expired$/);
});
