import type { Clock } from "../../model/clock.ts";
import { ok, type Result } from "../../model/result.ts";
import type { Log } from "../log/log.ts";
import { oneAtATime } from "../one-at-a-time.ts";
import { checkPemFiles, type PemFiles, readPemFiles, type TlsFiles } from "./certificate-files.ts";

type ServerCertificateOptions = {
  readonly files: TlsFiles;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn" | "error">;
  /** Time between two readings of the files, ms. Default 10 000. */
  readonly intervalMs?: number;
};

/**
 * Opens the certificate of a port. The files are compared by their content at intervals, because a notification of the
 * file system misses the links that Kubernetes replaces and files on network disks. Files that are not valid together
 * leave the previous ones in use.
 *
 * @returns the certificate, or a sentence that names the flag and the file
 */
export async function openServerCertificate(options: ServerCertificateOptions) {
  const { files, clock, log, intervalMs = 10_000 } = options;
  const first = await load(files, undefined);
  if (!first.ok) return first;
  let used = first.value;
  let error = "";
  let cancel = (): void => {};
  let isClosed = false;
  warnIfExpired();

  async function refresh(isRequested: boolean): Promise<void> {
    const loaded = await load(files, used);
    if (isClosed) return;
    if (!loaded.ok) {
      if (isRequested || loaded.error !== error)
        log.error({ why: loaded.error }, "TLS certificate: refused; the previous one stays in use");
      error = loaded.error;
      return;
    }
    const isNew = loaded.value !== used || error !== "";
    used = loaded.value;
    error = "";
    if (!isNew && !isRequested) return;
    log.info({ file: files.cert, expires: formatInstant(used.notAfterMs) }, "TLS certificate: loaded");
    warnIfExpired();
  }
  /** Refreshes run one after the other, so that an older reading never replaces a newer one. */
  const inTurn = oneAtATime();
  function schedule(): void {
    cancel = clock.after(intervalMs, () => void inTurn(() => refresh(false)).then(() => isClosed || schedule()));
  }
  function warnIfExpired(): void {
    if (used.notAfterMs <= clock.now())
      log.warn({ file: files.cert, expired: formatInstant(used.notAfterMs) }, "the TLS certificate has expired");
  }
  schedule();
  return ok({
    /** Returns the texts of the newest files that were valid together. */
    current: () => used.pem,
    /** Instant at which the certificate in use, or an intermediate one sent with it, expires, Unix ms. */
    notAfterMs: () => used.notAfterMs,
    /** Returns why the files as they are now are not in use; empty when they are. */
    error: () => error,
    /** Reads the files at once, and logs the outcome. */
    reload: () => inTurn(() => refresh(true)),
    close() {
      isClosed = true;
      cancel();
    },
  });
}

type LoadedCertificate = { readonly pem: PemFiles; readonly notAfterMs: number };

/** Reads and checks the files; returns `known` when they have the same content. */
async function load(files: TlsFiles, known: LoadedCertificate | undefined): Promise<Result<LoadedCertificate, string>> {
  const read = await readPemFiles(files);
  if (!read.ok) return read;
  const { cert, key, ca } = read.value;
  if (known?.pem.cert === cert && known.pem.key === key && known.pem.ca === ca) return ok(known);
  const checked = checkPemFiles(read.value, files);
  return checked.ok ? ok({ pem: read.value, notAfterMs: checked.value }) : checked;
}

const formatInstant = (ms: number): string => new Date(ms).toISOString();
