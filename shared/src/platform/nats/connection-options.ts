import { type ConnectionOptions, credsAuthenticator } from "nats";
import { readRegularFileSync } from "../files/regular-file.ts";
import type { NatsTlsFiles } from "./nats-credential-files.ts";

/** Server, credentials and name of a connection to NATS. */
export type NatsConnectionSettings = {
  /** Comma-separated `nats://` or `tls://` URLs. A user and password in a URL are used and never logged. */
  readonly url: string;
  /** Path of a credentials file, read again for each connection; empty means none. */
  readonly credsFile: string;
  /** Files for TLS, read again for each connection; TLS is required of the server when one is given. Default: none. */
  readonly tlsFiles?: NatsTlsFiles;
  /** Prefix of the subjects of inboxes, without a dot at its end. Default `_INBOX`. */
  readonly inboxPrefix?: string;
  /** Client name that the broker's monitoring shows. */
  readonly name: string;
};

/** A dead peer is detected after two unanswered pings, within 9 s; the library's default takes minutes. */
const pings = { pingInterval: 3_000, maxPingOut: 2 } as const;

/** Options of the library for a connection. @throws when a URL or a file cannot be used */
export function connectionOptions(settings: NatsConnectionSettings): ConnectionOptions {
  const { url, credsFile, name, tlsFiles, inboxPrefix } = settings;
  const urls = url
    .split(",")
    .map((text) => new URL(text.trim().includes("://") ? text.trim() : `nats://${text.trim()}`));
  const first = urls.find((u) => u.username !== "");
  return {
    name,
    servers: urls.map((u) => u.host),
    ...pings,
    timeout: 5_000,
    maxReconnectAttempts: -1,
    // Avoids creating an error with a stack trace in advance for each request.
    noAsyncTraces: true,
    // Credentials may be rotated, so a refused login is retried.
    ignoreAuthErrorAbort: true,
    ...(inboxPrefix === undefined ? {} : { inboxPrefix }),
    ...tlsOptions(
      urls.some((u) => u.protocol === "tls:"),
      tlsFiles,
    ),
    ...(first === undefined ? {} : loginOf(first)),
    ...(credsFile === "" ? {} : { authenticator: credsAuthenticator(fileReader(credsFile)) }),
  };
}

/** Login in a URL: user and password, or a token, which is a user without a password. The server takes what it expects. */
function loginOf({ username, password }: URL): ConnectionOptions {
  const [user, pass] = [decodeURIComponent(username), decodeURIComponent(password)];
  return pass === "" ? { user, pass, token: user } : { user, pass };
}

/** Options for TLS; without a file and a `tls://` URL none, and then the server decides. */
function tlsOptions(required: boolean, files: NatsTlsFiles = { ca: "", cert: "", key: "" }): ConnectionOptions {
  const tls = {};
  for (const [option, path] of Object.entries(files)) {
    if (path === "") continue;
    // The library would open any kind of file and read all of it. It reads the getters for each connection.
    const read = fileReader(path);
    Object.defineProperty(tls, option, { enumerable: true, get: () => read().toString("utf8") });
  }
  return required || Object.keys(tls).length > 0 ? { tls } : {};
}

/** Maximum size of a file with credentials, a certificate or a key, bytes. */
const maxFileBytes = 1_048_576;

/**
 * Reads the file at each call; returns the previous content while the file cannot be read, as during a replacement.
 *
 * @throws when it cannot be read now
 */
function fileReader(path: string): () => Buffer {
  const first = readRegularFileSync(path, maxFileBytes);
  if (!first.ok) throw new Error(`${path} cannot be read: ${first.error}`);
  let content = first.value;
  return () => {
    const read = readRegularFileSync(path, maxFileBytes);
    if (read.ok) content = read.value;
    return content;
  };
}
