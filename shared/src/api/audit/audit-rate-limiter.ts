import { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import type { AuditLog, AuditRecord } from "../../model/audit.ts";
import type { Clock } from "../../model/clock.ts";
import { peerNetwork } from "../../platform/http/peer-network.ts";

const windowMs = 60_000;
/** Maximum number of keys tracked at a time; further ones share one window. */
const maxKeys = 10_000;

type Window = { passed: number; suppressed: number; last: AuditRecord | undefined; readonly cancel: () => void };

type AuditRateLimiterOptions = {
  readonly audit: AuditLog;
  readonly clock: Clock;
  /** Key of a record; records of one key share a limit. Undefined means no limit. */
  keyOf(record: AuditRecord): string | undefined;
  /** Maximum number of records of a key per minute. */
  readonly perWindow: number;
};

type AuditRateLimiter = AuditLog & {
  /** Writes the records that were only counted until now. */
  close(): Promise<void>;
};

/** Path of the call that needs no identity, whatever its outcome. */
const loginRpc = `/${AuthService.typeName}/${AuthService.method.login.name}`;

/**
 * Records at most ten calls of one peer per minute that were made without an identity, denied calls and logins that
 * were not accepted, and the count of further ones in one more record.
 */
export const anonymousCallLimiter = (io: Pick<AuditRateLimiterOptions, "audit" | "clock">): AuditRateLimiter =>
  auditRateLimiter({
    ...io,
    keyOf: ({ principal, outcome, peer, rpc }) =>
      principal === undefined && outcome !== "accepted" && (outcome === "denied" || rpc === loginRpc)
        ? peerNetwork(peer)
        : undefined,
    perWindow: 10,
  });

/**
 * Limits the records per key and minute: those beyond `perWindow` are replaced by one record with their count. Callers
 * therefore cannot fill the disk with refused calls.
 */
export function auditRateLimiter({ audit, clock, keyOf, perWindow }: AuditRateLimiterOptions): AuditRateLimiter {
  const windows = new Map<string, Window>();

  async function end(key: string): Promise<void> {
    const window = windows.get(key);
    windows.delete(key);
    window?.cancel();
    // The time of the last call would precede records that are already written, and records are ordered by time.
    if (window?.last !== undefined) await audit.add({ ...window.last, atMs: clock.now(), count: window.suppressed });
  }

  const begin = (key: string): Window => {
    const cancel = clock.after(windowMs, () => void end(key));
    return { passed: 0, suppressed: 0, last: undefined, cancel };
  };

  return {
    async add(record) {
      const key = keyOf(record);
      if (key === undefined) return audit.add(record);
      const isTracked = windows.has(key) || windows.size < maxKeys;
      const window = windows.getOrInsertComputed(isTracked ? key : manyKeys, begin);
      if (window.passed < perWindow) {
        window.passed += 1;
        return audit.add(record);
      }
      window.suppressed += 1;
      window.last = isTracked ? record : { ...record, peer: manyKeys };
    },
    async close() {
      await Promise.all([...windows.keys()].map(end));
    },
  };
}

/** Key, and address in the record, of all callers beyond the maximum number of tracked keys. */
const manyKeys = "(many)";
