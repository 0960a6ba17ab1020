const unitMs: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };

/**
 * Returns the timeout of a call, ms: the client's if it is shorter than `limitMs`, else `limitMs`. The header is
 * removed, because `RpcServerCall` enforces the deadline; a malformed one stays, so that the protocol handler refuses
 * it.
 */
export function extractDeadline(header: Headers, limitMs: number): number {
  const grpc = header.get("content-type")?.startsWith("application/grpc") ?? false;
  const name = grpc ? "grpc-timeout" : "connect-timeout-ms";
  const given = header.get(name);
  if (given === null) return limitMs;
  const givenMs = grpc ? grpcTimeoutMs(given) : connectTimeoutMs(given);
  if (Number.isNaN(givenMs)) return limitMs;
  header.delete(name);
  return Math.min(givenMs, limitMs);
}

/** NaN when the text is malformed. */
function grpcTimeoutMs(text: string): number {
  const [, count, unit = ""] = /^(\d{1,8})([HMSmun])$/.exec(text) ?? [];
  return Number(count) * (unitMs[unit] ?? Number.NaN);
}

const connectTimeoutMs = (text: string): number => (/^\d{1,10}$/.test(text) ? Number(text) : Number.NaN);

/** Header with the deadline of a call as an instant on this server's clock, Unix ms. */
export const deadlineHeader = "x-realmwatch-deadline";

/**
 * [FD25] Returns the time until the instant of a call's deadline header, ms; 0 or less when it has passed, infinite
 * without the header, NaN when it is malformed.
 */
export function deadlineInstantMs(header: Headers, nowMs: number): number {
  const given = header.get(deadlineHeader);
  if (given === null) return Number.POSITIVE_INFINITY;
  return /^\d{1,15}$/.test(given) ? Number(given) - nowMs : Number.NaN;
}
