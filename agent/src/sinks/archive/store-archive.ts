import { rmSync } from "node:fs";
import { join } from "node:path";
import { type AttemptResult, delivered } from "../../platform/outbound/delivery-result.ts";
import { formatEntryLines } from "../encode/entry-lines.ts";
import { countLines, linesWithin } from "../encode/whole-lines.ts";
import { readStateFile, writeStateFile } from "../runner/state-file.ts";
import type { EventEntry, SinkBatch, SinkDependencies, SinkSendResult, SinkWriter } from "../sink-type.ts";
import type { AppendedFile } from "../transport/appended-file.ts";
import { diskFailure } from "../transport/disk-failure.ts";
import { type UploadState, uploadInParts } from "./multipart-upload.ts";
import type { ObjectStore } from "./object-store.ts";
import { openSegment, segmentName } from "./segments.ts";

/** Size above which a segment is uploaded in parts, bytes. */
const multipartAboveBytes = 67_108_864;

type StoreArchiveOptions = Pick<SinkDependencies, "clock" | "realm" | "stateDir"> & {
  readonly name: string;
  /** Beginning of the keys, without slashes at its ends. */
  readonly prefix: string;
  readonly segmentBytes: number;
  readonly flushIntervalMs: number;
  readonly store: ObjectStore;
};

/** The segment that is being filled. */
type StagedSegment = { readonly key: string; lastSeq: number; flushAtMs: number };

/**
 * Collects events in a file of the data directory and uploads it as one object when it is full or old enough. No object
 * is larger than `segmentBytes` unless it has a single event. Until it is stored its events count as held: after a
 * restart they are read again, and the object gets the same name.
 */
export class StoreArchive implements SinkWriter {
  readonly batchDelayMs: number;
  readonly #options: StoreArchiveOptions;
  readonly #statePath: string;
  #file: AppendedFile | undefined;
  #staged: StagedSegment | undefined;
  /** Upload in parts that was begun, perhaps by the process before this one. */
  #upload: UploadState | undefined;
  /** Number of the last event that was staged, delivered or not; 0 before the first. */
  #stagedSeq = 0;

  constructor(options: StoreArchiveOptions) {
    this.#options = options;
    this.#statePath = join(options.stateDir, `${options.name}.upload.json`);
    this.batchDelayMs = Math.min(500, options.flushIntervalMs / 2);
  }

  async send(batch: SinkBatch, signal: AbortSignal): Promise<SinkSendResult> {
    if (batch.input !== "events") return delivered;
    try {
      const segment = this.#openStaging();
      const resumed = this.#staged === undefined ? this.#upload : undefined;
      if (resumed === undefined) return await this.#stageAll(segment, batch.entries, signal);
      // An upload that the process before this one did not complete.
      const result = await this.#deliver(segment, signal);
      // After a refusal its events are staged anew, together with what follows them.
      if (result.kind === "rejected") return { ...result, kind: "retry" };
      const entries = batch.entries.filter(({ record }) => record.seq > resumed.lastSeq);
      if (result.kind !== "delivered" || entries.length === 0) return result;
      return await this.#stageAll(segment, entries, signal);
    } catch (error) {
      return diskFailure(error);
    }
  }

  flushAtMs(): number | undefined {
    return this.#staged?.flushAtMs;
  }

  async flush(signal: AbortSignal): Promise<SinkSendResult> {
    try {
      return await this.#deliver(this.#openStaging(), signal);
    } catch (error) {
      return diskFailure(error);
    }
  }

  async close(): Promise<void> {
    this.#file?.close();
    this.#file = undefined;
  }

  #openStaging(): AppendedFile {
    if (this.#file !== undefined) return this.#file;
    const { name, stateDir } = this.#options;
    const file = openSegment(join(stateDir, `${name}.segment`), stateDir);
    const upload = readStateFile(this.#statePath) as UploadState | undefined;
    this.#file = file;
    this.#upload = upload?.bytes === file.bytes ? upload : undefined;
    if (this.#upload === undefined) file.truncate(0);
    return file;
  }

  /** Stages a batch. A segment without room for the next event is uploaded first; a failure leaves the rest to a repetition. */
  async #stageAll(segment: AppendedFile, batch: readonly EventEntry[], signal: AbortSignal): Promise<SinkSendResult> {
    const { segmentBytes, realm } = this.#options;
    const entries = batch.filter(({ record }) => record.seq > this.#stagedSeq);
    let lines = Buffer.from(formatEntryLines({ input: "events", entries }, realm));
    for (let at = 0; at < entries.length; ) {
      const { bytes } = segment;
      let part = linesWithin(lines, segmentBytes - bytes, { atLeastOne: bytes === 0 });
      if (part.length === 0) {
        const result = await this.#deliver(segment, signal);
        if (result.kind !== "delivered") return result;
        part = linesWithin(lines, segmentBytes, { atLeastOne: true });
      }
      const count = countLines(part);
      this.#stage(segment, part, entries.slice(at, at + count));
      at += count;
      lines = lines.subarray(part.length);
    }
    return { kind: "held" };
  }

  /** Appends events to the segment. `lines`: the line of each. */
  #stage(segment: AppendedFile, lines: Buffer, entries: readonly EventEntry[]): void {
    const { clock, realm, prefix, segmentBytes, flushIntervalMs } = this.#options;
    const [first, last] = [entries[0]?.record, entries.at(-1)?.record];
    if (first === undefined || last === undefined) return;
    segment.append(lines, { synced: true });
    const path = segmentName(realm, first.atMs, first.seq);
    this.#staged ??= {
      key: prefix === "" ? path : `${prefix}/${path}`,
      lastSeq: 0,
      flushAtMs: clock.monotonic() + flushIntervalMs - this.batchDelayMs,
    };
    this.#staged.lastSeq = last.seq;
    this.#stagedSeq = last.seq;
    if (segment.bytes >= segmentBytes) this.#staged.flushAtMs = clock.monotonic();
  }

  /** Uploads the complete segment and empties the file. */
  async #deliver(segment: AppendedFile, signal: AbortSignal): Promise<SinkSendResult> {
    const current = this.#upload ?? (this.#staged && { ...this.#staged, bytes: segment.bytes, etags: [] });
    if (current === undefined) return delivered;
    const result = await this.#send(segment, current, signal);
    if (result.kind === "retry") return result;
    this.#upload = undefined;
    this.#staged = undefined;
    segment.truncate(0);
    rmSync(this.#statePath, { force: true });
    return result;
  }

  async #send(segment: AppendedFile, current: UploadState, signal: AbortSignal): Promise<AttemptResult> {
    const { store } = this.#options;
    const { key, bytes } = current;
    if (bytes <= multipartAboveBytes) {
      const response = await store.send({ method: "PUT", key, body: segment.read(0, bytes) }, signal);
      return response.kind === "response" ? delivered : response;
    }
    const statePath = this.#statePath;
    if (this.#upload === undefined) writeStateFile(statePath, current);
    this.#upload = (readStateFile(statePath) as UploadState | undefined) ?? current;
    const read = (offset: number, length: number): Buffer => segment.read(offset, length);
    return uploadInParts(this.#upload, { store, statePath, read }, signal);
  }
}
