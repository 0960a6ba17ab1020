import { fail, ok, type Result } from "@realmwatch/shared/model/result";

export type SmtpServer = {
  /** A name or an address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** `implicit`: TLS from the first byte. `offered`: once the server offers it. `required`: or not at all. */
  readonly tls: "implicit" | "offered" | "required" | "off";
  /** Empty: no authentication. */
  readonly user: string;
};

/** Connections that never leave the machine may carry a password without TLS. */
export const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d+){3}|::1)$/.test(host);

const shape = "is no mail server: write smtp://user@host:port or smtps://user@host:port";

/**
 * Reads `-smtp-url`. `smtp` is port 587 and STARTTLS where the server offers it, `smtps` port 465 and TLS at once;
 * `?tls=required` refuses to go on without STARTTLS, `?tls=off` does not ask for it. Fails with the end of a sentence.
 */
export function parseSmtpUrl(text: string): Result<SmtpServer, string> {
  const url = URL.parse(text);
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === "") return fail(shape);
  if (url.password !== "") return fail("has a password, which everybody could read: give it as -smtp-password");
  if (!/^\/?$/.test(url.pathname) || url.hash !== "") return fail(shape);
  const isTls = url.protocol === "smtps:";
  const tls = tlsOf(url, isTls);
  if (tls === undefined) return fail("knows ?tls=required and ?tls=off, with smtp:// only");
  const user = decodeName(url.username);
  if (user === undefined) return fail("has a user that is not percent-encoded as it should be");
  const port = url.port === "" ? (isTls ? 465 : 587) : Number(url.port);
  return ok({ host: url.hostname.replace(/^\[|\]$/g, ""), port, tls, user });
}

function tlsOf({ search, searchParams }: URL, isTls: boolean): SmtpServer["tls"] | undefined {
  if (search === "") return isTls ? "implicit" : "offered";
  const [wanted] = searchParams.getAll("tls");
  return !isTls && searchParams.size === 1 && (wanted === "required" || wanted === "off") ? wanted : undefined;
}

function decodeName(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
