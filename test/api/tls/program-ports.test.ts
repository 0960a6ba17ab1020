import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { setDefaultCACertificates } from "node:tls";
import { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import { fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { makeTlsCertificates } from "@realmwatch/shared/platform/testing/tls-certificates.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { type OpenedProgram, openTestProgram, passwords } from "../program-server.fixture.ts";

const certificates = makeTlsCertificates(fileScope());
const { cert, key } = certificates.server;
setDefaultCACertificates([readFileSync(certificates.ca, "utf8")]);

const openWithTls = (t: TestContext) => openTestProgram(t, { flags: { tlsCert: cert, tlsKey: key } });
const page = (base: string, path: string) => fetch(base + path);

async function statusOfCertificate({ base }: OpenedProgram) {
  const response = await page(base, "/readyz");
  const { dependencies } = (await response.json()) as { dependencies: Record<string, { ok: boolean; detail: string }> };
  return { code: response.status, ...dependencies["tls_certificate"] };
}

async function metricsOf({ base }: OpenedProgram): Promise<ReadonlyMap<string, number>> {
  const text = await (await page(base, "/metrics")).text();
  return new Map(text.split("\n").map((line) => [line.split(" ")[0] ?? "", Number(line.split(" ")[1])]));
}

test("[AT8] [PT21] over the port's own TLS the cookie is Secure, and a page of the same host by http is another site", async (t) => {
  const program = await openWithTls(t);
  const { setCookies } = await program.call(AuthService.method.login, {
    request: { user: "viewer", password: passwords.viewer },
    headers: { "x-forwarded-proto": "http" },
  });
  assert.match(setCookies[0] ?? "", /; HttpOnly; SameSite=Lax; Secure$/);
  const cookie = setCookies[0]?.split(";")[0] ?? "";
  const codeFrom = async (origin: string) =>
    (await program.call(AuthService.method.whoAmI, { headers: { cookie, origin } })).code;
  assert.equal(await codeFrom(program.base), "ok");
  assert.equal(await codeFrom(program.base.replace("https:", "http:")), "permission_denied");
});

/** Waits for a value of a metric: they are rendered once a second. */
const untilMetric = (program: Parameters<typeof metricsOf>[0], name: string, value: number) =>
  until(`${name} is ${value}`, async () => (await metricsOf(program)).get(name) === value);

test("[PT23] a broken pair is named in the log, /readyz and a metric, and the program stays ready", async (t) => {
  const program = await openWithTls(t);
  assert.deepEqual([(await statusOfCertificate(program)).ok, (await statusOfCertificate(program)).code], [true, 200]);
  const metrics = await metricsOf(program);
  assert.equal(metrics.get("realmwatch_tls_certificate_last_reload_successful"), 1);
  const days =
    ((metrics.get("realmwatch_tls_certificate_not_after_timestamp_seconds") ?? 0) * 1_000 - Date.now()) / 864e5;
  assert.ok(days > 29 && days < 31, `${days} days`);

  const valid = readFileSync(key);
  writeFileSync(key, "broken");
  program.reloadCertificate();
  await until("the pair is refused", async () => (await statusOfCertificate(program)).ok === false);
  const { code, detail } = await statusOfCertificate(program);
  assert.equal(code, 200);
  assert.match(
    detail ?? "",
    /^-tls-key: \S+server\.key has no private key in PEM.*previous one stays in use and expires/,
  );
  await untilMetric(program, "realmwatch_tls_certificate_last_reload_successful", 0);
  assert.ok(program.logged.some((line) => /"level":"error".*server\.key.*TLS certificate: refused/.test(line)));

  writeFileSync(key, valid);
  program.reloadCertificate();
  await until("the pair is in use", async () => (await statusOfCertificate(program)).ok);
  await assert.rejects(fetch(program.base.replace("https:", "http:")));
  await untilMetric(program, "realmwatch_tls_handshake_failures_total", 1);
  assert.ok(program.logged.some((line) => /"peer":"127.0.0.1","reason":"ERR_SSL_HTTP_REQUEST"/.test(line)));
});

test("a certificate that cannot be used is refused at the start", async (t) => {
  const flags = { tlsCert: key, tlsKey: key, metricsListen: { host: "127.0.0.1", port: 0 } };
  await assert.rejects(openTestProgram(t, { flags }), /^Error: -tls-cert: \S+ has no certificate in PEM$/);
});

test("[PT25] -metrics-listen has metrics and the description, without TLS; both addresses have the probes", async (t) => {
  const listen = { host: "127.0.0.1", port: 0 };
  const program = await openTestProgram(t, { flags: { tlsCert: cert, tlsKey: key, metricsListen: listen } });
  const line = program.logged.find((text) => text.includes("metrics have an address of their own"));
  const { address } = JSON.parse(line ?? "{}") as { address: string };
  const statuses = async (base: string) => {
    const paths = ["/healthz", "/readyz", "/metrics", "/api/openapi.json", "/api/", "/login"];
    return Promise.all(paths.map(async (path) => (await page(base, path)).status));
  };
  assert.deepEqual(await statuses(program.base), [200, 200, 404, 404, 404, 200]);
  assert.match(address, /^http:/);
  assert.deepEqual(await statuses(address), [200, 200, 200, 200, 200, 404]);
  const call = await fetch(`${address}/svc.v1.QueryService/GetServerInfo`, { method: "POST" });
  assert.equal(call.status, 404);
  await program.close();
  await assert.rejects(page(address, "/healthz"));
});

test("[PT25] an address of -metrics-listen that is in use is named", async (t) => {
  const { base } = await openTestProgram(t);
  const metricsListen = { host: "127.0.0.1", port: Number(new URL(base).port) };
  await assert.rejects(openTestProgram(t, { flags: { metricsListen } }), /in use; choose another .* -metrics-listen$/);
});
