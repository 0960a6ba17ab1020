import type { Audit, AuditRecord } from "../words/audit.ts";
import type { Clock } from "../words/clock.ts";

/** Refused calls of one peer that get a record of their own, within each window. */
const perWindow = 10;
const windowMs = 60_000;
/** Peers that are told apart at a time; further ones count as one. */
const mostPeers = 10_000;

type Window = { passed: number; more: number; last: AuditRecord | undefined };

export type DeniedWindow = Audit & {
  /** Keeps what was only counted until now. */
  close(): Promise<void>;
};

/**
 * Passes records on, and counts those of a peer that is denied over and over: beyond ten within a minute it gets one
 * record more, with a count. So nobody fills the disk by being turned away.
 */
export function deniedWindow({ audit, clock }: { readonly audit: Audit; readonly clock: Clock }): DeniedWindow {
  const windows = new Map<string, Window>();
  const cancels = new Map<string, () => void>();

  async function end(peer: string): Promise<void> {
    const window = windows.get(peer);
    windows.delete(peer);
    cancels.get(peer)?.();
    cancels.delete(peer);
    if (window?.last !== undefined) await audit.add({ ...window.last, count: window.more });
  }

  function windowOf(peer: string): Window {
    const known = windows.get(peer);
    if (known !== undefined) return known;
    const window: Window = { passed: 0, more: 0, last: undefined };
    windows.set(peer, window);
    cancels.set(
      peer,
      clock.after(windowMs, () => void end(peer)),
    );
    return window;
  }

  return {
    async add(record) {
      if (record.outcome !== "denied") return audit.add(record);
      const isOne = windows.has(record.peer) || windows.size < mostPeers;
      const window = windowOf(isOne ? record.peer : manyPeers);
      if (window.passed < perWindow) {
        window.passed += 1;
        return audit.add(record);
      }
      window.more += 1;
      window.last = isOne ? record : { ...record, peer: manyPeers };
    },
    async close() {
      await Promise.all([...windows.keys()].map(end));
    },
  };
}

/** Stands for the address of whoever came when too many peers were told apart already. */
const manyPeers = "(many)";
