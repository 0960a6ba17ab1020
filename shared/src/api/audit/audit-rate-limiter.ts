import type { AuditLog, AuditRecord } from "../../model/audit.ts";
import type { Clock } from "../../model/clock.ts";

const windowMs = 60_000;
/** Keys that are told apart at a time; further ones count as one. */
const mostKeys = 10_000;

type Window = { passed: number; more: number; last: AuditRecord | undefined };

export type AuditRateLimiterOptions = {
  readonly audit: AuditLog;
  readonly clock: Clock;
  /** Records of one key share a window; undefined passes a record on whatever came before. */
  keyOf(record: AuditRecord): string | undefined;
  /** Records of a key that pass within a minute. */
  readonly perWindow: number;
};

export type AuditRateLimiter = AuditLog & {
  /** Keeps what was only counted until now. */
  close(): Promise<void>;
};

/** Beyond ten denied calls of one peer within a minute there is one record more, with their count. */
export const deniedCallLimiter = (io: Pick<AuditRateLimiterOptions, "audit" | "clock">): AuditRateLimiter =>
  auditRateLimiter({
    ...io,
    keyOf: ({ outcome, peer }) => (outcome === "denied" ? peer : undefined),
    perWindow: 10,
  });

/**
 * Passes records on, and counts those of a key that comes over and over: beyond so many within a minute it gets one
 * record more, with a count. So nobody fills the disk by being turned away.
 */
export function auditRateLimiter({ audit, clock, keyOf, perWindow }: AuditRateLimiterOptions): AuditRateLimiter {
  const windows = new Map<string, Window>();
  const cancels = new Map<string, () => void>();

  async function end(key: string): Promise<void> {
    const window = windows.get(key);
    windows.delete(key);
    cancels.get(key)?.();
    cancels.delete(key);
    if (window?.last !== undefined) await audit.add({ ...window.last, count: window.more });
  }

  function windowOf(key: string): Window {
    const known = windows.get(key);
    if (known !== undefined) return known;
    const window: Window = { passed: 0, more: 0, last: undefined };
    windows.set(key, window);
    cancels.set(
      key,
      clock.after(windowMs, () => void end(key)),
    );
    return window;
  }

  return {
    async add(record) {
      const key = keyOf(record);
      if (key === undefined) return audit.add(record);
      const isOne = windows.has(key) || windows.size < mostKeys;
      const window = windowOf(isOne ? key : manyKeys);
      if (window.passed < perWindow) {
        window.passed += 1;
        return audit.add(record);
      }
      window.more += 1;
      window.last = isOne ? record : { ...record, peer: manyKeys };
    },
    async close() {
      await Promise.all([...windows.keys()].map(end));
    },
  };
}

/** Stands for the addresses of those who came when too many were told apart already. */
const manyKeys = "(many)";
