const unitMs: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };

/**
 * Gives every call a deadline: the client's own where it is the shorter one, else `limitMs`. Rewrites the header of
 * the protocol at hand. A malformed one stays as it is, for the protocol to refuse.
 */
export function boundDeadline(header: Headers, limitMs: number): void {
  const grpc = header.get("content-type")?.startsWith("application/grpc") ?? false;
  const name = grpc ? "grpc-timeout" : "connect-timeout-ms";
  const given = header.get(name);
  const givenMs = given === null ? Number.POSITIVE_INFINITY : grpc ? grpcTimeoutMs(given) : connectTimeoutMs(given);
  if (givenMs > limitMs) header.set(name, grpc ? `${limitMs}m` : String(limitMs));
}

/** Not a number where it is malformed. */
function grpcTimeoutMs(text: string): number {
  const [, count, unit = ""] = /^(\d{1,8})([HMSmun])$/.exec(text) ?? [];
  return Number(count) * (unitMs[unit] ?? Number.NaN);
}

const connectTimeoutMs = (text: string): number => (/^\d{1,10}$/.test(text) ? Number(text) : Number.NaN);
