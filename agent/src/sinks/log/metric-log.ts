import { errorText } from "@realmwatch/shared/platform/error-text";
import type { MetricEntry } from "../sink-type.ts";
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

export type MetricLog = ReturnType<typeof openMetricLog>;

/**
 * Performance data for sinks, in the order of its arrival, numbered from 1. Each sink reads it at its own position, and
 * blocks that all sinks have delivered are deleted. While the disk fails, the newest blocks are kept in memory.
 */
export function openMetricLog({ store, maxBytes = maxMetricLogBytes, onFailure }: MetricLogOptions) {
  let next = store.next();
  let cached: readonly MetricBlock[] = [];
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

  /** Writes blocks that the disk did not take before. */
  function retryWrites(): void {
    for (let block = unwritten[0]; block !== undefined; block = unwritten[0]) {
      const oldest = block;
      if (!attempt(() => store.add(oldest))) break;
      unwritten.shift();
      failing = false;
    }
    unwritten = newestOf(unwritten);
    while (store.bytes() > maxBytes) if (!attempt(() => store.deleteOldest())) break;
  }

  function blockFrom(position: number): MetricBlock | undefined {
    const isInMemory = contains(position);
    const near = cached.find(isInMemory) ?? unwritten.find(isInMemory);
    if (near !== undefined) return near;
    let stored: MetricBlock | undefined;
    attempt(() => {
      stored = store.read(position);
    });
    if (stored !== undefined) cached = [...cached.slice(1 - maxCached), stored];
    return stored ?? unwritten.find(({ first }) => first > position);
  }

  const source: EntrySource<MetricEntry> = {
    end: () => next,
    start: () => (store.first() < store.next() ? store.first() : (unwritten[0]?.first ?? next)),
    read: (position, limit) => pageOf(position < next ? blockFrom(position) : undefined, position, limit),
  };
  return {
    ...source,
    /** Last command whose points are on the disk; 0 for none. */
    commandSeq: () => store.commandSeq(),
    /** True while entries wait in memory because the disk failed. */
    isUnwritten: () => unwritten.length > 0,
    /** `commandSeq`: last command whose points are complete with these. Default 0: no further one. */
    append(entries: readonly MetricEntry[], recordedAtMs: number, commandSeq = 0) {
      if (entries.length === 0) return;
      const block = { first: next, entries, recordedAtMs, commandSeq };
      next += entries.length;
      cached = [...cached.slice(1 - maxCached), block];
      unwritten.push(block);
      retryWrites();
    },
    retryWrites,
    /** Deletes blocks whose entries are all below `position`. */
    deleteBelow: (position: number) => void attempt(() => store.deleteBelow(position)),
    bytes: () => store.bytes(),
    close: () => store.close(),
  };
}

const contains =
  (position: number) =>
  ({ first, entries }: MetricBlock): boolean =>
    first <= position && position < first + entries.length;

/** Entries of a block from a position on. */
function pageOf(block: MetricBlock | undefined, position: number, limit: number): SourcePage<MetricEntry> {
  if (block === undefined) return { from: position, entries: [], recordedAtMs: 0 };
  const { first, entries, recordedAtMs } = block;
  const offset = Math.max(0, position - first);
  return { from: first + offset, entries: entries.slice(offset, offset + limit), recordedAtMs };
}

/** Newest blocks up to the limit of points in memory, but at least one. */
function newestOf(blocks: MetricBlock[]): MetricBlock[] {
  let points = 0;
  const dropped = blocks.findLastIndex(({ entries }, at) => {
    points += entries.length;
    return points > maxUnwrittenPoints && at < blocks.length - 1;
  });
  return dropped < 0 ? blocks : blocks.slice(dropped + 1);
}
