import type { Socket } from "node:net";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { ResolveFailure } from "../../platform/dns/name-resolver.ts";
import { describeErrorCode } from "../../platform/network/describe-error.ts";
import { dial } from "../../platform/network/dial.ts";
import type { CheckDependencies } from "../check-type.ts";

export type HostPort = {
  /** Name or address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
};

type HostConnection = { readonly socket: Socket; readonly dnsMs: number; readonly connectMs: number };

/** Resolves a host and connects to it. The error is a sentence that names the target. Never rejects. */
export async function connectHost(
  target: HostPort,
  { clock, resolver }: CheckDependencies,
  signal: AbortSignal,
): Promise<Result<HostConnection, string>> {
  const startedMs = clock.monotonic();
  const resolved = await resolver.resolve(target.host, signal);
  if (!resolved.ok) return fail(describeResolveFailure(target.host, resolved.error));
  const resolvedMs = clock.monotonic();
  const dialed = await dial({ addresses: resolved.value, port: target.port }, clock, signal);
  if (!dialed.ok) return fail(`cannot connect to ${formatHostPort(target)}: ${describeErrorCode(dialed.error)}`);
  const dnsMs = resolvedMs - startedMs;
  return ok({ socket: dialed.value, dnsMs, connectMs: clock.monotonic() - resolvedMs });
}

export const formatHostPort = ({ host, port }: HostPort): string =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;

const failures: Readonly<Record<Exclude<ResolveFailure, "denied">, string>> = {
  unknown_name: "the name does not exist",
  no_address: "the name has no address",
  server_failed: "the name server failed",
  timed_out: "the name server did not answer",
  aborted: "aborted",
};

export const describeResolveFailure = (host: string, failure: ResolveFailure): string =>
  failure === "denied"
    ? `connections to ${host} are denied by -outbound-deny`
    : `cannot resolve ${host}: ${failures[failure]}`;
