import type { StatusRow } from "@realmwatch/proto/svc/v1/query_pb";
import { type StatusItem, statusItemOf } from "../status/status-item.ts";
import type { CheckTiming } from "./check-timing.ts";
import { checkTimingOf } from "./check-timing.ts";

/** Active check of an object: its time by the schedule, Unix ms, how much later it started, and how long it took, ms. */
export type SeenCheck = Omit<CheckTiming, "intervalMs"> & { readonly dueAtMs: number };

/** Checks that this page has seen in the rows of any list since it was loaded: rows have only the last check. */
export type SeenChecks = {
  add(rows: readonly StatusRow[]): void;
  /** Seen checks of an object in the order of their time; the same array until another one is seen. */
  of(id: string): readonly SeenCheck[];
};

/** Bounds of the memory: objects, of which the one seen least recently is forgotten, and the newest checks of each. */
const limits = { objects: 1_000, checks: 60 };

const none: readonly SeenCheck[] = [];

export function seenChecks({ objects, checks } = limits): SeenChecks {
  const seen = new Map<string, readonly SeenCheck[]>();

  function addItem(item: StatusItem): void {
    const timing = checkTimingOf(item);
    if (timing === undefined || item.lastCheckAtMs === undefined) return;
    const { latencyMs, executionMs, late } = timing;
    const before = seen.get(item.id) ?? none;
    const dueAtMs = item.lastCheckAtMs - latencyMs;
    // A row of the past is older, and an unchanged one has the same check.
    const isNew = dueAtMs > (before.at(-1)?.dueAtMs ?? Number.NEGATIVE_INFINITY);
    seen.delete(item.id);
    seen.set(item.id, isNew ? [...before, { dueAtMs, latencyMs, executionMs, late }].slice(-checks) : before);
  }

  return {
    add(rows) {
      // The rows of a very long list would displace those of the objects that are looked at.
      if (rows.length > objects) return;
      for (const row of rows) {
        const item = statusItemOf(row);
        if (item !== undefined) addItem(item);
      }
      for (const id of seen.keys()) {
        if (seen.size <= objects) break;
        seen.delete(id);
      }
    },
    of: (id) => seen.get(id) ?? none,
  };
}
