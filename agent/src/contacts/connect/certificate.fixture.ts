import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type ServerKeyPair = { readonly key: string; readonly cert: string };

type Given = {
  /** End of its validity in ASN.1 format. */
  readonly until?: string;
  readonly names?: string;
};

/** Self-signed certificate, valid from 2020 on, made by openssl in a temporary folder. */
export function makeSelfSignedCertificate({ until = "20991231235959Z", names }: Given = {}): ServerKeyPair {
  const folder = mkdtempSync(join(tmpdir(), "realmwatch-contacts-"));
  const openssl = (...args: string[]): unknown => execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
  writeFileSync(join(folder, "index"), "");
  writeFileSync(join(folder, "serial"), "01\n");
  writeFileSync(
    join(folder, "ca.cnf"),
    [
      "[ca]\ndefault_ca=own\n[own]\ndatabase=index\nserial=serial\nnew_certs_dir=.\ndefault_md=sha256\npolicy=any",
      `x509_extensions=san\n[any]\ncommonName=supplied\n[san]\nbasicConstraints=CA:true`,
      `subjectAltName=${names ?? "DNS:localhost,IP:127.0.0.1"}\n`,
    ].join("\n"),
  );
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  openssl("req", "-new", ...curve, "-subj", "/CN=test.example", "-keyout", "key", "-out", "csr");
  const dates = ["-startdate", "20200101000000Z", "-enddate", until];
  openssl("ca", "-selfsign", "-batch", "-config", "ca.cnf", ...dates, "-keyfile", "key", "-in", "csr", "-out", "cert");
  const cert = readFileSync(join(folder, "cert"), "utf8");
  const pair = { key: readFileSync(join(folder, "key"), "utf8"), cert: cert.slice(cert.indexOf("-----BEGIN")) };
  rmSync(folder, { recursive: true });
  return pair;
}
