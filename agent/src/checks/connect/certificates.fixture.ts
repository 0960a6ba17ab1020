import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type CertificateKeyPair = { readonly key: string; readonly cert: string };

/** Creates a self-signed certificate with openssl; by default for `localhost`, 127.0.0.1 and ::1. */
export function makeServerCertificate(days: number, names = "DNS:localhost,IP:127.0.0.1,IP:::1"): CertificateKeyPair {
  const folder = mkdtempSync(join(tmpdir(), "realmwatch-cert-"));
  const [keyFile, certFile] = [join(folder, "key"), join(folder, "cert")];
  const make = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=test.example`.split(" ");
  const san = `subjectAltName=${names}`;
  execFileSync("openssl", [...make, "-days", String(days), "-addext", san, "-keyout", keyFile, "-out", certFile], {
    stdio: "ignore",
  });
  const pair = { key: readFileSync(keyFile, "utf8"), cert: readFileSync(certFile, "utf8") };
  rmSync(folder, { recursive: true });
  return pair;
}

/** Creates a root valid for a year, and an intermediate and a leaf for `localhost` valid for the given days. */
export function makeCertificateChain(days: { readonly intermediate: number; readonly leaf: number }) {
  const folder = mkdtempSync(join(tmpdir(), "realmwatch-cert-"));
  const openssl = (line: string): void =>
    void execFileSync("openssl", line.split(" "), { cwd: folder, stdio: "ignore" });
  const key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";
  writeFileSync(join(folder, "ca.ext"), "basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign,cRLSign\n");
  writeFileSync(join(folder, "leaf.ext"), "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1\n");
  openssl(`req -x509 ${key} -subj /CN=root -days 365 -keyout root.key -out root.pem`);
  openssl(`req -new ${key} -subj /CN=middle -keyout middle.key -out middle.csr`);
  openssl(
    `x509 -req -in middle.csr -CA root.pem -CAkey root.key -set_serial 2 -days ${days.intermediate} -extfile ca.ext -out middle.pem`,
  );
  openssl(`req -new ${key} -subj /CN=leaf -keyout leaf.key -out leaf.csr`);
  openssl(
    `x509 -req -in leaf.csr -CA middle.pem -CAkey middle.key -set_serial 3 -days ${days.leaf} -extfile leaf.ext -out leaf.pem`,
  );
  const read = (name: string): string => readFileSync(join(folder, name), "utf8");
  const made = { key: read("leaf.key"), leaf: read("leaf.pem"), middle: read("middle.pem"), root: read("root.pem") };
  rmSync(folder, { recursive: true });
  return made;
}
