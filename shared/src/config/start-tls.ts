/** Protocols that start unencrypted and switch to TLS on request (STARTTLS). */
const startTlsProtocols = ["ftp", "imap", "ldap", "pop3", "postgres", "smtp"] as const;
export type StartTls = (typeof startTlsProtocols)[number];

/** Default ports. The ports for implicit TLS (465, 636, 993, 995, …) are not listed: TLS starts with the first byte there. */
const protocolOfPort: ReadonlyMap<number, StartTls> = new Map([
  [21, "ftp"],
  [25, "smtp"],
  [110, "pop3"],
  [143, "imap"],
  [389, "ldap"],
  [587, "smtp"],
  [5432, "postgres"],
]);

/** Splits `smtp://mail.example.org:2525` into scheme and address. `tls://` selects TLS from the first byte on any port. */
export function splitScheme(address: string): {
  readonly scheme: StartTls | "tls" | undefined;
  readonly hostPort: string;
} {
  const [, scheme, hostPort] = /^([a-z\d]+):\/\/(.+)$/s.exec(address) ?? [];
  const known = [...startTlsProtocols, "tls" as const].find((each) => each === scheme);
  return known === undefined
    ? { scheme: undefined, hostPort: address }
    : { scheme: known, hostPort: hostPort as string };
}

/** Protocol in which TLS is requested at a port; undefined for TLS from the first byte. */
export const startTlsProtocolFor = (scheme: StartTls | "tls" | undefined, port: number): StartTls | undefined =>
  scheme === "tls" ? undefined : (scheme ?? protocolOfPort.get(port));

/** Port for an address without one. */
export function defaultTlsPort(scheme: StartTls | "tls" | undefined): number {
  const found = [...protocolOfPort].find(([, protocol]) => protocol === scheme);
  return found?.[0] ?? 443;
}
