import { lstatSync } from "node:fs";
import { join } from "node:path";
import { delivered } from "../../platform/outbound/delivery-result.ts";
import { formatEntryLines } from "../encode/entry-lines.ts";
import { countLines, linesWithin } from "../encode/whole-lines.ts";
import { readStateFile, writeStateFile } from "../runner/state-file.ts";
import type { EventEntry, SinkBatch, SinkDependencies, SinkSendResult, SinkWriter } from "../sink-type.ts";
import type { AppendedFile } from "../transport/appended-file.ts";
import { diskFailure } from "../transport/disk-failure.ts";
import { lastLineOf, openSegment, segmentName } from "./segments.ts";

/** Age at which a segment is closed although it is not full, ms. */
const closeAfterMs = 3_600_000;

type FolderArchiveOptions = Pick<SinkDependencies, "clock" | "realm" | "stateDir"> & {
  readonly name: string;
  readonly folder: string;
  /** Size at which a segment is closed, bytes. */
  readonly segmentBytes: number;
};

/**
 * The open segment, stored in a file of the data directory for the next start. `afterSeq`: number of the last event of
 * the segment before it; 0 when there was none.
 */
type SegmentState = { readonly path: string; readonly openedAtMs: number; readonly afterSeq: number };
type OpenSegment = { readonly file: AppendedFile; readonly openedAtMs: number; lastSeq: number };

/**
 * Appends events to segments below a folder, none of which is larger than `segmentBytes` unless it has a single event.
 * Each batch is on disk when it counts as delivered.
 */
export class FolderArchive implements SinkWriter {
  readonly #options: FolderArchiveOptions;
  readonly #statePath: string;
  #open: OpenSegment | undefined;
  #isResumed = false;

  constructor(options: FolderArchiveOptions) {
    this.#options = options;
    this.#statePath = join(options.stateDir, `${options.name}.segment.json`);
  }

  async send(batch: SinkBatch): Promise<SinkSendResult> {
    try {
      if (batch.input === "events") this.#append(batch.entries);
      return delivered;
    } catch (error) {
      this.reopen();
      this.#isResumed = false;
      return diskFailure(error);
    }
  }

  reopen(): void {
    this.#open?.file.close();
    this.#open = undefined;
  }

  async close(): Promise<void> {
    this.reopen();
  }

  #append(batch: readonly EventEntry[]): void {
    if (!this.#isResumed) this.#resume();
    // Events that were written before a crash which came before the cursor was stored.
    const stored = this.#open?.lastSeq ?? 0;
    const entries = batch.filter(({ record }) => record.seq > stored);
    let lines = Buffer.from(formatEntryLines({ input: "events", entries }, this.#options.realm));
    for (let at = 0; at < entries.length; ) {
      const { part, segment } = this.#appendSome(lines, entries[at] as EventEntry);
      at += countLines(part);
      lines = lines.subarray(part.length);
      segment.lastSeq = entries[at - 1]?.record.seq ?? segment.lastSeq;
    }
  }

  /** Appends as many lines as the open segment, or a new one, has room for. Returns them. */
  #appendSome(lines: Buffer, first: EventEntry): { part: Buffer; segment: OpenSegment } {
    const { clock, segmentBytes } = this.#options;
    const isOld = this.#open !== undefined && clock.now() - this.#open.openedAtMs >= closeAfterMs;
    let segment = this.#open === undefined || isOld ? this.#begin(first) : this.#open;
    const { bytes } = segment.file;
    let part = linesWithin(lines, segmentBytes - bytes, { atLeastOne: bytes === 0 });
    if (part.length === 0) {
      segment = this.#begin(first);
      part = linesWithin(lines, segmentBytes, { atLeastOne: true });
    }
    segment.file.append(part, { synced: true });
    return { part, segment };
  }

  #begin({ record }: EventEntry): OpenSegment {
    const { clock, folder, realm } = this.#options;
    const afterSeq = this.#open?.lastSeq ?? 0;
    this.reopen();
    const path = join(folder, segmentName(realm, record.atMs, record.seq));
    const segment = { path, openedAtMs: clock.now(), afterSeq };
    const opened = this.#use(segment);
    writeStateFile(this.#statePath, segment);
    return opened;
  }

  #resume(): void {
    this.#isResumed = true;
    const { path, openedAtMs, afterSeq = 0 } = readStateFile(this.#statePath) ?? {};
    if (typeof path !== "string" || typeof openedAtMs !== "number" || typeof afterSeq !== "number") return;
    // A segment that was moved away is finished.
    if (path.startsWith(this.#options.folder) && lstatSync(path, { throwIfNoEntry: false }) !== undefined)
      this.#use({ path, openedAtMs, afterSeq });
  }

  #use({ path, openedAtMs, afterSeq }: SegmentState): OpenSegment {
    const file = openSegment(path, this.#options.folder);
    this.#open = { file, openedAtMs, lastSeq: seqOf(lastLineOf(file)) || afterSeq };
    return this.#open;
  }
}

/** Number of the event of a line; 0 for a line that is not an event. */
function seqOf(line: string): number {
  try {
    return Number((JSON.parse(line) as { id?: string }).id ?? 0) || 0;
  } catch {
    return 0;
  }
}
