import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { setDefaultCACertificates } from "node:tls";
import {
  type CertificateKeyPair,
  makeCertificateChain,
  makeServerCertificate,
} from "@realmwatch/agent/checks/connect/certificates.fixture";
import { checkEnvironment, openTestDependencies, servicePlan } from "@realmwatch/agent/checks/plan.fixture";
import { runCheck } from "@realmwatch/agent/checks/run-check";
import type { CheckSpec } from "@realmwatch/shared/config/check-kinds/check-kinds";
import { lacks, startServer } from "./server-process.ts";

const skip = lacks("openssl");
const dependencies = openTestDependencies();
after(() => dependencies.close());

const pair = makeServerCertificate(30);
const chain = makeCertificateChain({ intermediate: 30, leaf: 20 });
const weak = makeWeakCertificate();
setDefaultCACertificates([pair.cert, weak.cert, chain.root]);

/** Certificate with a 1024-bit RSA key, which OpenSSL no longer trusts. */
function makeWeakCertificate(): CertificateKeyPair {
  const make =
    "req -x509 -newkey rsa:1024 -nodes -subj /CN=weak -days 30 -addext subjectAltName=DNS:localhost -keyout - -out -";
  const both = execFileSync("openssl", make.split(" "), { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const part = (name: RegExp): string => name.exec(both)?.[0] ?? "";
  return {
    key: part(/-----BEGIN PRIVATE KEY-----[\s\S]*END PRIVATE KEY-----\n/),
    cert: part(/-----BEGIN CERT[\s\S]*END CERTIFICATE-----\n/),
  };
}

/** Outputs of `tls` and `https` checks of `openssl s_server` with these options. */
async function ask(options: readonly string[], { key, cert }: CertificateKeyPair, more = ""): Promise<string[]> {
  const server = await startServer({
    program: "openssl",
    prepare(folder) {
      writeFileSync(join(folder, "key.pem"), key);
      writeFileSync(join(folder, "cert.pem"), cert);
      writeFileSync(join(folder, "more.pem"), more);
    },
    argumentsFor(folder, port) {
      const own = ["-key", join(folder, "key.pem"), "-cert", join(folder, "cert.pem")];
      const chained = more === "" ? [] : ["-cert_chain", join(folder, "more.pem")];
      const named = options.map((option) =>
        option.replace("CERT", join(folder, "cert.pem")).replace("KEY", join(folder, "key.pem")),
      );
      return ["s_server", "-accept", String(port), "-www", ...own, ...chained, ...named];
    },
  });
  const { port } = server;
  const run = async (spec: CheckSpec): Promise<string> => {
    const { status, output } = await runCheck(servicePlan(spec), checkEnvironment(), dependencies);
    return `${status}: ${output.replaceAll(`:${port}`, "")}`;
  };
  const outputs = [
    await run({ type: "tls", host: "localhost", port, warnWithinMs: 0, critWithinMs: 0 }),
    await run({ type: "http", url: `https://localhost:${port}/` }),
  ];
  await server.stop();
  return outputs;
}

const fine = [/^ok: certificate "test\.example" of localhost expires in 29 days/, /^ok: HTTP 200 ok/];
const failed = (why: string): RegExp[] =>
  Array.from({ length: 2 }, () => new RegExp(`^critical: TLS with localhost: ${why}$`));
const declined = failed("the server declined the handshake: no common cipher, or it requires a client certificate");

for (const [what, options, expected] of [
  ["TLS 1.3 only", ["-tls1_3"], fine],
  ["TLS 1.2 only", ["-tls1_2"], fine],
  ["TLS 1.1 only", ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"], failed("no common TLS version")],
  ["unsupported ciphers", ["-tls1_2", "-cipher", "ECDHE-ECDSA-CAMELLIA128-SHA256:@SECLEVEL=0"], declined],
  ["a required client certificate, TLS 1.2", ["-Verify", "1", "-tls1_2"], declined],
  [
    "a required client certificate, TLS 1.3",
    ["-Verify", "1", "-tls1_3"],
    [fine[0], /^critical: no answer from localhost: the server requires a client certificate$/],
  ],
  ["HTTP/2 only", ["-alpn", "h2"], [fine[0], failed("the server does not offer HTTP/1.1 over TLS")[1]]],
  [
    "no certificate for this name",
    ["-servername", "other.example", "-servername_fatal", "-cert2", "CERT", "-key2", "KEY"],
    failed("the server does not know this name"),
  ],
] as [string, string[], RegExp[]][])
  test(`[NC4] tls and https to openssl: ${what}`, { skip }, async () => {
    const outputs = await ask(options, pair);
    for (const [at, pattern] of expected.entries()) assert.match(outputs[at] ?? "", pattern);
  });

test("[NC4] tls and https to openssl: a root in the sent chain is trusted when it is a known root", {
  skip,
}, async () => {
  const [tls = "", https = ""] = await ask([], { key: chain.key, cert: chain.leaf }, chain.middle + chain.root);
  assert.match(tls, /^ok: certificate "leaf" of localhost expires in 19 days/);
  assert.match(https, /^ok: HTTP 200 ok/);
});

test("[NC4] tls and https to openssl: the output names a key that is too weak", { skip }, async () => {
  for (const output of await ask(["-cipher", "ALL:@SECLEVEL=0"], weak))
    assert.match(output, /^critical: .*certificate is not acceptable, its key or hash may be too weak$/);
});
