/** Protocols that begin in the clear and turn to TLS when asked. */
export const startTlsProtocols = ["ftp", "imap", "ldap", "pop3", "postgres", "smtp"] as const;
export type StartTls = (typeof startTlsProtocols)[number];

/** Where each is spoken by default. Their TLS-only twins (465, 636, 993, 995, …) begin with the handshake. */
const protocolOfPort: ReadonlyMap<number, StartTls> = new Map([
  [21, "ftp"],
  [25, "smtp"],
  [110, "pop3"],
  [143, "imap"],
  [389, "ldap"],
  [587, "smtp"],
  [5432, "postgres"],
]);

/** `smtp://mail.example.org:2525` is SMTP at that place; `tls://…` is TLS from the first byte, whatever the port. */
export function splitScheme(address: string): {
  readonly scheme: StartTls | "tls" | undefined;
  readonly place: string;
} {
  const [, scheme, place] = /^([a-z\d]+):\/\/(.+)$/s.exec(address) ?? [];
  const known = [...startTlsProtocols, "tls" as const].find((each) => each === scheme);
  return known === undefined ? { scheme: undefined, place: address } : { scheme: known, place: place as string };
}

/** How TLS begins at a port: by asking in this protocol first, or at once (undefined). */
export const startTlsProtocolFor = (scheme: StartTls | "tls" | undefined, port: number): StartTls | undefined =>
  scheme === "tls" ? undefined : (scheme ?? protocolOfPort.get(port));

/** The port of a host alone. */
export function defaultTlsPort(scheme: StartTls | "tls" | undefined): number {
  const found = [...protocolOfPort].find(([, protocol]) => protocol === scheme);
  return found?.[0] ?? 443;
}
