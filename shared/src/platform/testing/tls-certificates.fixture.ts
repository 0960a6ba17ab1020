import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atEnd, type TestScope } from "./test-scope.fixture.ts";

type KeyPairFiles = { readonly cert: string; readonly key: string };

export type TlsCertificates = {
  /** File of the authority's certificate. */
  readonly ca: string;
  /** Files of the certificate of a server at 127.0.0.1, `::1` and `localhost`. */
  readonly server: KeyPairFiles;
  readonly client: KeyPairFiles;
  /** Replaces all files by those of a new authority. */
  renew(): void;
  /** Replaces the server's certificate and key by others of the same authority. */
  renewServer(days?: number): void;
};

/** Makes files of an authority and of two certificates that it has signed, by openssl, until the end of the scope. */
export function makeTlsCertificates(scope: TestScope): TlsCertificates {
  const folder = mkdtempSync(join(tmpdir(), "realmwatch-tls-"));
  atEnd(scope, () => rmSync(folder, { recursive: true, force: true }));
  const openssl = (line: string): void =>
    void execFileSync("openssl", line.split(" "), { cwd: folder, stdio: "ignore" });
  const key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
  const sign = (name: string, days: number, options = ""): void => {
    openssl(`req -new ${key} -subj /CN=${name} -keyout ${name}.key -out ${name}.csr ${options}`.trim());
    openssl(
      `x509 -req -in ${name}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days ${days} -copy_extensions copy -out ${name}.pem`,
    );
  };
  const renewServer = (days = 30): void =>
    sign("server", days, "-addext subjectAltName=IP:127.0.0.1,IP:::1,DNS:localhost");
  const renew = (): void => {
    openssl(`req -x509 ${key} -subj /CN=authority -days 30 -keyout ca.key -out ca.pem`);
    renewServer();
    sign("client", 30);
  };
  renew();
  const pair = (name: string): KeyPairFiles => ({
    cert: join(folder, `${name}.pem`),
    key: join(folder, `${name}.key`),
  });
  return { ca: join(folder, "ca.pem"), server: pair("server"), client: pair("client"), renew, renewServer };
}
