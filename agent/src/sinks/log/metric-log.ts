import { errorText } from "@realmwatch/shared/platform/error-text";
import type { MetricEntry } from "../sink-entry.ts";
import type { EntrySource, SourcePage } from "./entry-source.ts";
import type { MetricBlock } from "./metric-block.ts";
import type { MetricLogStore } from "./metric-log-store.ts";

/** Size of the log on disk at which its oldest blocks are deleted although a sink has not delivered them, bytes. */
const maxMetricLogBytes = 1_073_741_824;
/** Most points in memory that could not be written: about 40 MB. */
const maxUnwrittenPoints = 200_000;
/** Most blocks in memory for sinks that read the end of the log, of which each has its own position. */
const maxCached = 32;

type MetricLogOptions = {
  readonly store: MetricLogStore;
  readonly maxBytes?: number;
  /** Reports that the disk failed, once until it works again. */
  readonly onFailure: (why: string) => void;
};

/**
 * Performance data for sinks, in the order of its arrival, numbered from 1. Each sink reads it at its own position, and
 * blocks that all sinks have delivered are deleted. While the disk fails, the newest blocks are kept in memory.
 */
export interface MetricLog extends EntrySource<MetricEntry> {
  /** `commandSeq`: last command whose points are complete with these. Default 0: no further one. */
  append(entries: readonly MetricEntry[], recordedAtMs: number, commandSeq?: number): void;
  /** Last command whose points are on the disk; 0 for none. */
  commandSeq(): number;
  /** True while entries wait in memory because the disk failed. */
  isUnwritten(): boolean;
  /** Writes blocks that the disk did not take before. */
  retryWrites(): void;
  /** Deletes blocks whose entries are all below `position`. */
  deleteBelow(position: number): void;
  bytes(): number;
  close(): void;
}

export function openMetricLog({ store, maxBytes = maxMetricLogBytes, onFailure }: MetricLogOptions): MetricLog {
  let next = store.next();
  let cached: MetricBlock[] = [];
  let unwritten: MetricBlock[] = [];
  let failing = false;

  function attempt(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      if (!failing) onFailure(errorText(error));
      failing = true;
      return false;
    }
  }

  function retryWrites(): void {
    for (let block = unwritten[0]; block !== undefined; block = unwritten[0]) {
      const oldest = block;
      if (!attempt(() => store.add(oldest))) break;
      unwritten.shift();
      failing = false;
    }
    dropUnwritten();
    while (store.bytes() > maxBytes) if (!attempt(() => store.deleteOldest())) break;
  }

  /** Drops the oldest blocks beyond the limit, but never the newest one. */
  function dropUnwritten(): void {
    let points = 0;
    let kept = 0;
    for (const { entries } of unwritten.toReversed()) {
      points += entries.length;
      if (kept > 0 && points > maxUnwrittenPoints) break;
      kept += 1;
    }
    if (kept < unwritten.length) unwritten = unwritten.slice(-kept);
  }

  function blockFrom(position: number): MetricBlock | undefined {
    const inMemory = (block: MetricBlock): boolean =>
      block.first <= position && position < block.first + block.entries.length;
    const near = cached.find(inMemory) ?? unwritten.find(inMemory);
    if (near !== undefined) return near;
    let stored: MetricBlock | undefined;
    attempt(() => {
      stored = store.read(position);
    });
    if (stored !== undefined) remember(stored);
    return stored ?? unwritten.find(({ first }) => first > position);
  }

  function remember(block: MetricBlock): void {
    cached.push(block);
    if (cached.length > maxCached) cached = cached.slice(-maxCached);
  }

  return {
    end: () => next,
    start: () => (store.first() < store.next() ? store.first() : (unwritten[0]?.first ?? next)),
    commandSeq: () => store.commandSeq(),
    isUnwritten: () => unwritten.length > 0,
    append(entries, recordedAtMs, commandSeq = 0) {
      if (entries.length === 0) return;
      const block = { first: next, entries, recordedAtMs, commandSeq };
      next += entries.length;
      remember(block);
      unwritten.push(block);
      retryWrites();
    },
    retryWrites,
    read(position, limit): SourcePage<MetricEntry> {
      const block = position < next ? blockFrom(position) : undefined;
      if (block === undefined) return { from: position, entries: [], recordedAtMs: 0 };
      const offset = Math.max(0, position - block.first);
      const entries = block.entries.slice(offset, offset + limit);
      return { from: block.first + offset, entries, recordedAtMs: block.recordedAtMs };
    },
    deleteBelow: (position) => void attempt(() => store.deleteBelow(position)),
    bytes: () => store.bytes(),
    close: () => store.close(),
  };
}
