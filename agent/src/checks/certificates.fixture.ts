import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type KeyPair = { readonly key: string; readonly cert: string };

/** Self-signed certificates for `localhost`, 127.0.0.1 and ::1, made by openssl in a temporary folder. */
export function makeCertificate(days: number, names = "DNS:localhost,IP:127.0.0.1,IP:::1"): KeyPair {
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
