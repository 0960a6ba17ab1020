import { fail, ok, type Result } from "@realmwatch/shared/model/result";

export type SmtpServer = {
  /** Name or address; IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /**
   * `implicit`: TLS from the first byte. `offered`: STARTTLS if the server offers it. `required`: STARTTLS or no mail.
   */
  readonly tls: "implicit" | "offered" | "required" | "off";
  /** Empty for no authentication. */
  readonly user: string;
};

/** True for a server on this machine: a password may be sent to it without TLS. */
export const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d+){3}|::1)$/.test(host);

const expectedForm = "must be a mail server: write smtp://user@host:port or smtps://user@host:port";

/**
 * Parses `-smtp-url`. `smtp` means port 587 and STARTTLS if the server offers it, `smtps` port 465 and TLS from the
 * first byte. `?tls=required` sends nothing without STARTTLS, `?tls=off` disables it. Fails with the end of a sentence.
 */
export function parseSmtpUrl(text: string): Result<SmtpServer, string> {
  const url = URL.parse(text);
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === "") return fail(expectedForm);
  if (url.password !== "") return fail("has a password, which other users could read: give it as -smtp-password");
  if (!/^\/?$/.test(url.pathname) || url.hash !== "") return fail(expectedForm);
  const isTls = url.protocol === "smtps:";
  const tls = tlsOf(url, isTls);
  if (tls === undefined) return fail("supports ?tls=required and ?tls=off, with smtp:// only");
  const user = decodeName(url.username);
  if (user === undefined) return fail("has a user that is not percent-encoded as it should be");
  const port = url.port === "" ? (isTls ? 465 : 587) : Number(url.port);
  return ok({ host: url.hostname.replace(/^\[|\]$/g, ""), port, tls, user });
}

function tlsOf({ search, searchParams }: URL, isTls: boolean): SmtpServer["tls"] | undefined {
  if (search === "") return isTls ? "implicit" : "offered";
  const [mode] = searchParams.getAll("tls");
  return !isTls && searchParams.size === 1 && (mode === "required" || mode === "off") ? mode : undefined;
}

function decodeName(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
