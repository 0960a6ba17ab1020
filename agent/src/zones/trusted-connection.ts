import type { NatsConnection } from "nats";

/** Acceptance of a NATS server without a login, by an operator with `-insecure-worker`. */
export type TrustOptions = { readonly insecure: boolean };

/**
 * Reason why checks must not be sent over `connection`; empty when they may. Checks contain secrets, and a client that
 * can offer them can run programs: therefore the server must require a login. One on this machine must too, because
 * every user of the machine reaches it.
 */
export function whyUntrusted(
  connection: Pick<NatsConnection, "info" | "getServer">,
  { insecure }: TrustOptions,
): string {
  if (insecure || connection.info?.auth_required === true) return "";
  return `NATS at ${connection.getServer()} requires no login: checks, which contain secrets, are not sent over it (-insecure-worker permits it)`;
}
