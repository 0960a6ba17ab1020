import type { Clock } from "../../model/clock.ts";

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

/** Header with the id of the process that is called. */
export const instanceHeader = "x-realmwatch-instance";
/** Header with the deadline of a call as a time on the monotonic clock of the process that `instanceHeader` names, ms. */
export const uptimeDeadlineHeader = "x-realmwatch-deadline-uptime";
/** Header with the deadline of a call as an instant on this server's wall clock, Unix ms. */
const wallDeadlineHeader = "x-realmwatch-deadline";

/** Server to which deadlines refer: its clock and the id of its process. */
export type DeadlineServer = { readonly clock: Pick<Clock, "now" | "monotonic">; readonly instance: string };

/**
 * [FD25] Returns the time until the earliest deadline of a call's headers, ms; 0 or less when it has passed, infinite
 * without such a header. The uptime of another process says nothing here.
 */
export function deadlineLeftMs(header: Headers, { clock, instance }: DeadlineServer): number {
  const isCalled = header.get(instanceHeader) === instance;
  return Math.min(
    numberOf(header.get(wallDeadlineHeader)) - clock.now(),
    isCalled ? numberOf(header.get(uptimeDeadlineHeader)) - clock.monotonic() : Number.POSITIVE_INFINITY,
  );
}

/** Name of a deadline header that is not a number of milliseconds; undefined when each is valid or absent. */
export const malformedDeadline = (header: Headers): string | undefined =>
  [wallDeadlineHeader, uptimeDeadlineHeader].find((name) => !deadlinePattern.test(header.get(name) ?? "0"));

const deadlinePattern = /^\d{1,15}$/;

/** Infinite for a value that is absent or malformed: a malformed one is refused by its own error. */
const numberOf = (given: string | null): number =>
  given !== null && deadlinePattern.test(given) ? Number(given) : Number.POSITIVE_INFINITY;
