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
