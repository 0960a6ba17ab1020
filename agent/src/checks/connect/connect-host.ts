import type { Socket } from "node:net";
import { withDeadline } from "@realmwatch/shared/model/clock";
import { outcome } from "@realmwatch/shared/model/outcome";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { ResolveFailure } from "../../platform/dns/name-resolver.ts";
import { describeErrorCode } from "../../platform/network/describe-error.ts";
import { dial } from "../../platform/network/dial.ts";
import type { CheckDependencies, CheckOutcome } from "../check-type.ts";
import { timeoutOutcome } from "../judge/timeout-outcome.ts";

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

/** Check that enforces its timeout itself. `status`: that of a failure. */
type TimedCheck = { readonly type: string; readonly status: "critical" | "unknown"; readonly timeoutMs: number };

/**
 * Resolves a host for a check that enforces its timeout itself. Returns its first address and the time that is left of
 * the timeout, ms, or the outcome of the check. Never rejects.
 */
export async function resolveInTime(
  host: string,
  { type, status, timeoutMs }: TimedCheck,
  { clock, resolver }: CheckDependencies,
  signal: AbortSignal,
): Promise<Result<{ readonly address: string; readonly leftMs: number }, CheckOutcome>> {
  const startedMs = clock.monotonic();
  const resolved = await withDeadline({ clock, ms: timeoutMs, signal }, (ending) => resolver.resolve(host, ending));
  if (!resolved.ok && resolved.error === "aborted" && !signal.aborted)
    return fail(timeoutOutcome(status, type, timeoutMs));
  if (!resolved.ok) return fail(outcome(status, describeResolveFailure(host, resolved.error)));
  const [address = host] = resolved.value;
  return ok({ address, leftMs: Math.max(1, timeoutMs - (clock.monotonic() - startedMs)) });
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
