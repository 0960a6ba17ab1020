import { createPrivateKey, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { fail, ok, type Result } from "../../model/result.ts";
import { readRegularFile } from "../files/regular-file.ts";

/** Paths of the PEM files of a port. */
export type TlsFiles = {
  /** Certificate of the port, followed by those of intermediate authorities. */
  readonly cert: string;
  readonly key: string;
  /** Authorities that sign the certificates of clients; undefined when clients need none. */
  readonly clientCa: string | undefined;
};

/** Texts of the files, as `node:tls` takes them. */
export type PemFiles = { readonly cert: string; readonly key: string; readonly ca: string | undefined };

/** Maximum size of a file, bytes. */
const maxFileBytes = 1_048_576;

/** Reads the files. The error is a sentence that names the flag and the file. */
export async function readPemFiles({ cert, key, clientCa }: TlsFiles): Promise<Result<PemFiles, string>> {
  const [certText, keyText, caText] = await Promise.all([
    readPem("-tls-cert", cert),
    readPem("-tls-key", key),
    clientCa === undefined ? ok(undefined) : readPem("-tls-client-ca", clientCa),
  ]);
  if (!certText.ok) return certText;
  if (!keyText.ok) return keyText;
  return caText.ok ? ok({ cert: certText.value, key: keyText.value, ca: caText.value }) : caText;
}

async function readPem(flag: string, path: string): Promise<Result<string, string>> {
  const read = await readRegularFile(path, maxFileBytes);
  return read.ok ? ok(read.value.toString("utf8")) : fail(`${flag}: ${path} cannot be read: ${read.error}`);
}

/**
 * Checks that the texts are what a port needs and belong together. The error is a sentence that names the flag and the
 * file; it quotes nothing of a file.
 *
 * @returns the instant at which the first certificate of `cert` expires, Unix ms
 */
export function checkPemFiles({ cert, key, ca }: PemFiles, files: TlsFiles): Result<number, string> {
  const chain = parseCertificates(cert);
  if (!chain.ok) return fail(`-tls-cert: ${files.cert} ${chain.error}`);
  const [leaf] = chain.value;
  if (ca !== undefined) {
    const authorities = parseCertificates(ca);
    if (!authorities.ok) return fail(`-tls-client-ca: ${files.clientCa} ${authorities.error}`);
  }
  try {
    if (!leaf?.checkPrivateKey(createPrivateKey(key)))
      return fail(`-tls-key: ${files.key} is not the key of the certificate in ${files.cert}`);
  } catch {
    return fail(`-tls-key: ${files.key} has no private key in PEM, or one that is encrypted`);
  }
  try {
    createSecureContext({ cert, key, ca });
  } catch (error) {
    return fail(`-tls-cert: ${files.cert} cannot be used: ${(error as Error).message}`);
  }
  return ok(Math.min(...chain.value.map(({ validToDate }) => validToDate.getTime())));
}

const pemEnd = "-----END CERTIFICATE-----";

/** Parses all certificates of a PEM text; there is at least one. The error is the end of a sentence about the file. */
function parseCertificates(pem: string): Result<readonly X509Certificate[], string> {
  const parts = pem.split(pemEnd).slice(0, -1);
  if (parts.length === 0) return fail("has no certificate in PEM");
  try {
    return ok(parts.map((part) => new X509Certificate(part + pemEnd)));
  } catch {
    return fail("has a certificate that cannot be parsed");
  }
}
