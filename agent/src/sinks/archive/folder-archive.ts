import { lstatSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { delivered } from "../../platform/outbound/delivery-result.ts";
import { formatEntryLines } from "../encode/entry-lines.ts";
import { countLines, linesWithin } from "../encode/whole-lines.ts";
import type { EventEntry, SinkBatch } from "../sink-entry.ts";
import type { SinkDependencies, SinkWriter } from "../sink-type.ts";
import { diskFailure } from "../transport/disk-failure.ts";
import { openSegmentFile, type SegmentFile } from "./segment-file.ts";
import { segmentName } from "./segment-name.ts";

/** Age at which a segment is closed although it is not full, ms. */
const closeAfterMs = 3_600_000;

type FolderArchiveOptions = {
  readonly name: string;
  readonly folder: string;
  /** Size at which a segment is closed, bytes. */
  readonly segmentBytes: number;
};

/**
 * The open segment, stored in a file of the data directory for the next start. `afterSeq`: number of the last event of
 * the segment before it; 0 when there was none.
 */
type OpenSegment = { readonly path: string; readonly openedAtMs: number; readonly afterSeq: number };

/**
 * Appends events to segments below a folder, none of which is larger than `segmentBytes` unless it has a single event.
 * Each batch is on disk when it counts as delivered.
 */
export function openFolderArchive(
  { name, folder, segmentBytes }: FolderArchiveOptions,
  { clock, realm, stateDir }: Pick<SinkDependencies, "clock" | "realm" | "stateDir">,
): SinkWriter {
  const statePath = join(stateDir, `${name}.segment.json`);
  let open: (OpenSegment & { readonly file: SegmentFile; lastSeq: number }) | undefined;
  let isResumed = false;

  function close(): void {
    open?.file.close();
    open = undefined;
  }

  function use(segment: OpenSegment): NonNullable<typeof open> {
    const file = openSegmentFile(segment.path, folder);
    open = { ...segment, file, lastSeq: seqOf(file.lastLine()) || segment.afterSeq };
    return open;
  }

  function resume(): void {
    isResumed = true;
    const segment = readState(statePath);
    // A segment that was moved away is finished.
    if (segment?.path.startsWith(folder) && lstatSync(segment.path, { throwIfNoEntry: false }) !== undefined)
      use(segment);
  }

  function begin({ record }: EventEntry): NonNullable<typeof open> {
    const afterSeq = open?.lastSeq ?? 0;
    close();
    const path = join(folder, segmentName(realm, record.atMs, record.seq));
    const segment = { path, openedAtMs: clock.now(), afterSeq };
    const used = use(segment);
    writeState(statePath, segment);
    return used;
  }

  /** Appends as many lines as the open segment, or a new one, has room for. Returns them. */
  function appendSome(lines: Buffer, first: EventEntry): { part: Buffer; segment: NonNullable<typeof open> } {
    const isOld = open !== undefined && clock.now() - open.openedAtMs >= closeAfterMs;
    let segment = open === undefined || isOld ? begin(first) : open;
    const bytes = segment.file.bytes();
    let part = linesWithin(lines, segmentBytes - bytes, { atLeastOne: bytes === 0 });
    if (part.length === 0) {
      segment = begin(first);
      part = linesWithin(lines, segmentBytes, { atLeastOne: true });
    }
    segment.file.append(part);
    return { part, segment };
  }

  function append(batch: SinkBatch & { readonly input: "events" }): void {
    if (!isResumed) resume();
    // Events that were written before a crash which came before the cursor was stored.
    const stored = open?.lastSeq ?? 0;
    const entries = batch.entries.filter(({ record }) => record.seq > stored);
    let lines = Buffer.from(formatEntryLines({ input: "events", entries }, realm));
    for (let at = 0; at < entries.length; ) {
      const { part, segment } = appendSome(lines, entries[at] as EventEntry);
      at += countLines(part);
      lines = lines.subarray(part.length);
      segment.lastSeq = entries[at - 1]?.record.seq ?? segment.lastSeq;
    }
  }

  return {
    async send(batch) {
      try {
        if (batch.input === "events") append(batch);
        return delivered;
      } catch (error) {
        close();
        isResumed = false;
        return diskFailure(error);
      }
    },
    reopen: close,
    async close() {
      close();
    },
  };
}

/** Number of the event of a line; 0 for a line that is no event. */
function seqOf(line: string): number {
  try {
    return Number((JSON.parse(line) as { id?: string }).id ?? 0) || 0;
  } catch {
    return 0;
  }
}

function readState(path: string): OpenSegment | undefined {
  try {
    const {
      path: segment,
      openedAtMs,
      afterSeq = 0,
    } = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
    return typeof segment === "string" && typeof openedAtMs === "number" && typeof afterSeq === "number"
      ? { path: segment, openedAtMs, afterSeq }
      : undefined;
  } catch {
    return undefined;
  }
}

function writeState(path: string, segment: OpenSegment): void {
  writeFileSync(`${path}.new`, JSON.stringify(segment), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
