import type { Clock } from "@realmwatch/shared/model/clock";
import { errorText } from "@realmwatch/shared/platform/error-text";
import type { Log } from "@realmwatch/shared/platform/log/log";

/**
 * Cause of an outage: no connection, a refused login or permission, no trusted TLS connection, or a database that is not
 * known to belong to this centre.
 */
export const redisOutageKinds = ["away", "login", "tls", "owner"] as const;
type RedisOutageKind = (typeof redisOutageKinds)[number];
export type RedisOutage = { readonly kind: RedisOutageKind; readonly why: string };

const loginRefusal = /^(WRONGPASS|NOAUTH|NOPERM)\b|^ERR (invalid password|Client sent AUTH|AUTH )/;
const tlsErrorCode = /^(ERR_SSL_|ERR_TLS_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA|HOSTNAME_MISMATCH)/;

/** Judges an error of a connection. `name` is the address without secrets. */
function redisOutageOf(error: Error, name: string): RedisOutage {
  // A cluster of which no node answers reports the error of the last one beside its own.
  const cause = "lastNodeError" in error && error.lastNodeError instanceof Error ? error.lastNodeError : error;
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : "";
  // Errors of OpenSSL have their plain text apart.
  const reason = "reason" in cause && typeof cause.reason === "string" ? cause.reason : "";
  const text = reason || cause.message || code || cause.name;
  if (loginRefusal.test(text)) return { kind: "login", why: `Redis at ${name} refuses the login: ${text}` };
  if (!tlsErrorCode.test(code)) return { kind: "away", why: `Redis at ${name} is away: ${text}` };
  const hint = "-redis-ca names the authorities that are trusted, -redis-cert and -redis-key log in";
  return { kind: "tls", why: `Redis at ${name} has no trusted TLS connection: ${text} (${code}); ${hint}` };
}

/** Text of an error of a command, for operators. */
export function redisErrorText(error: unknown): string {
  const text = errorText(error);
  if (text.startsWith("OOM")) return `Redis is full: ${text}`;
  if (text.startsWith("Too many Cluster redirections")) return "the node of the Redis Cluster with its keys is away";
  if (text.startsWith("CLUSTERDOWN"))
    return `${text}: set cluster-require-full-coverage to no, so that one node does not stop the others`;
  return text;
}

const logAgainAfterMs = 60_000;

/** Tracks why Redis cannot be used. The reason of a failed attempt stays until the next one has a reason of its own. */
export function openRedisOutageTracker(options: {
  readonly name: string;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn">;
}) {
  const { name, clock, log } = options;
  let outage: RedisOutage | undefined = { kind: "away", why: `Redis at ${name} is not connected yet` };
  let hasReason = false;
  let logged = { why: "", atMs: 0 };

  function set(next: RedisOutage): void {
    const isNews = next.why !== logged.why || clock.monotonic() - logged.atMs > logAgainAfterMs;
    const isUseful = outage === undefined || next.kind !== outage.kind || next.kind !== "away" || logged.why === "";
    outage = next;
    if (!isNews || !isUseful) return;
    logged = { why: next.why, atMs: clock.monotonic() };
    log.warn({ redis: name, problem: next.kind, why: next.why }, `Redis: ${logText[next.kind]}`);
  }
  return {
    current: () => outage,
    onError(error: Error) {
      hasReason = true;
      set(redisOutageOf(error, name));
    },
    onClosed() {
      if (!hasReason) set({ kind: "away", why: `Redis at ${name} is away: the connection is closed` });
    },
    onAvailable() {
      if (outage !== undefined) log.info({ redis: name }, "Redis: connected");
      [outage, hasReason, logged] = [undefined, false, { why: "", atMs: 0 }];
    },
  };
}

const logText: Readonly<Record<RedisOutageKind, string>> = {
  away: "away",
  login: "the login is refused",
  tls: "no trusted TLS connection",
  owner: "the database is refused",
};
