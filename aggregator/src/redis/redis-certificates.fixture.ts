import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Files of an authority, of a server's certificate for 127.0.0.1 and of a client's certificate, made by openssl. */
export function makeRedisCertificates() {
  const folder = mkdtempSync(join(tmpdir(), "realmwatch-redis-tls-"));
  const openssl = (line: string): void =>
    void execFileSync("openssl", line.split(" "), { cwd: folder, stdio: "ignore" });
  const key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
  const make = (): void => {
    openssl(`req -x509 ${key} -subj /CN=authority -days 30 -keyout ca.key -out ca.pem`);
    for (const [name, options] of [
      ["server", "-addext subjectAltName=IP:127.0.0.1"],
      ["client", ""],
    ] as const) {
      openssl(`req -new ${key} -subj /CN=${name} -keyout ${name}.key -out ${name}.csr ${options}`.trim());
      openssl(
        `x509 -req -in ${name}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 30 -copy_extensions copy -out ${name}.pem`,
      );
    }
  };
  make();
  const file = (name: string): string => join(folder, name);
  return {
    /** Replaces all files by those of a new authority. */
    renew: make,
    ca: file("ca.pem"),
    client: { cert: file("client.pem"), key: file("client.key") },
    /** Arguments of a redis-server that takes only TLS connections on `port`, with client certificates. */
    serverArguments: (port: number): readonly string[] => [
      ...["--port", "0", "--tls-port", String(port), "--tls-ca-cert-file", file("ca.pem")],
      ...["--tls-cert-file", file("server.pem"), "--tls-key-file", file("server.key")],
    ],
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
