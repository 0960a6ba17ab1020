import { join } from "node:path";
import { formatEntryLines } from "../encode/entry-lines.ts";
import { countLines, linesWithin } from "../encode/whole-lines.ts";
import type { SinkSendResult } from "../send-result.ts";
import type { EventEntry } from "../sink-entry.ts";
import type { SinkDependencies, SinkWriter } from "../sink-type.ts";
import { diskFailure } from "../transport/disk-failure.ts";
import {
  readUploadState,
  removeUploadState,
  type UploadState,
  uploadInParts,
  writeUploadState,
} from "./multipart-upload.ts";
import type { ObjectStore } from "./object-store.ts";
import { openSegmentFile, type SegmentFile } from "./segment-file.ts";
import { segmentName } from "./segment-name.ts";

/** Size above which a segment is uploaded in parts, bytes. */
const multipartAboveBytes = 67_108_864;

type StoreArchiveOptions = {
  readonly name: string;
  readonly prefix: string;
  readonly segmentBytes: number;
  readonly flushIntervalMs: number;
  readonly store: ObjectStore;
};

/** The segment that is being filled. */
type StagedSegment = { readonly key: string; readonly firstSeq: number; lastSeq: number; flushAtMs: number };

/**
 * Collects events in a file of the data directory and uploads it as one object when it is full or old enough. No object
 * is larger than `segmentBytes` unless it has a single event. Until it is stored its events count as held: after a
 * restart they are read again, and the object gets the same name.
 */
export function openStoreArchive(
  { name, prefix, segmentBytes, flushIntervalMs, store }: StoreArchiveOptions,
  { clock, realm, stateDir }: Pick<SinkDependencies, "clock" | "realm" | "stateDir">,
): SinkWriter {
  const statePath = join(stateDir, `${name}.upload.json`);
  const batchDelayMs = Math.min(500, flushIntervalMs / 2);
  const folder = prefix.replace(/^\/+|\/+$/g, "");
  let file: SegmentFile | undefined;
  let staged: StagedSegment | undefined;
  let upload: UploadState | undefined;
  /** Number of the last event that was staged, delivered or not; 0 before the first. */
  let stagedSeq = 0;

  function openStaging(): SegmentFile {
    if (file !== undefined) return file;
    file = openSegmentFile(join(stateDir, `${name}.segment`), stateDir);
    upload = readUploadState(statePath);
    if (upload !== undefined && upload.bytes !== file.bytes()) upload = undefined;
    if (upload === undefined) file.truncate();
    return file;
  }

  /** Uploads the complete segment and empties the file. */
  async function deliver(segment: SegmentFile, signal: AbortSignal): Promise<SinkSendResult> {
    const current: UploadState | undefined = upload ?? (staged && { ...staged, bytes: segment.bytes(), etags: [] });
    if (current === undefined) return { kind: "delivered" };
    const { key, bytes } = current;
    let result: SinkSendResult;
    if (bytes > multipartAboveBytes) {
      if (upload === undefined) writeUploadState(statePath, current);
      upload = readUploadState(statePath) ?? current;
      const read = (offset: number, length: number): Buffer => segment.read(offset, length);
      result = await uploadInParts(upload, { store, statePath, read }, signal);
    } else {
      const response = await store.send({ method: "PUT", key, body: segment.read(0, bytes) }, signal);
      result = response.kind === "response" ? { kind: "delivered" } : response;
    }
    if (result.kind === "delivered" || result.kind === "rejected") {
      upload = undefined;
      staged = undefined;
      segment.truncate();
      removeUploadState(statePath);
    }
    return result;
  }

  /** Appends events to the segment. `lines`: the line of each. */
  function stage(segment: SegmentFile, lines: Buffer, entries: readonly EventEntry[]): void {
    const [first, last] = [entries[0], entries.at(-1)];
    if (first === undefined || last === undefined) return;
    segment.append(lines);
    const path = segmentName(realm, first.record.atMs, first.record.seq);
    staged ??= {
      key: folder === "" ? path : `${folder}/${path}`,
      firstSeq: first.record.seq,
      lastSeq: 0,
      flushAtMs: clock.monotonic() + flushIntervalMs - batchDelayMs,
    };
    staged.lastSeq = last.record.seq;
    stagedSeq = last.record.seq;
    if (segment.bytes() >= segmentBytes) staged.flushAtMs = clock.monotonic();
  }

  /** Stages a batch. A segment without room for the next event is uploaded first; a failure leaves the rest to a repetition. */
  async function stageAll(
    segment: SegmentFile,
    batch: readonly EventEntry[],
    signal: AbortSignal,
  ): Promise<SinkSendResult> {
    const entries = batch.filter(({ record }) => record.seq > stagedSeq);
    let lines = Buffer.from(formatEntryLines({ input: "events", entries }, realm));
    for (let at = 0; at < entries.length; ) {
      const bytes = segment.bytes();
      let part = linesWithin(lines, segmentBytes - bytes, { atLeastOne: bytes === 0 });
      if (part.length === 0) {
        const result = await deliver(segment, signal);
        if (result.kind !== "delivered") return result;
        part = linesWithin(lines, segmentBytes, { atLeastOne: true });
      }
      const count = countLines(part);
      stage(segment, part, entries.slice(at, at + count));
      at += count;
      lines = lines.subarray(part.length);
    }
    return { kind: "held" };
  }

  return {
    batchDelayMs,
    async send(batch, signal) {
      if (batch.input !== "events") return { kind: "delivered" };
      try {
        const segment = openStaging();
        let { entries } = batch;
        const resumed = upload;
        if (resumed !== undefined && staged === undefined) {
          // An upload that the process before this one did not complete.
          const result = await deliver(segment, signal);
          // After a refusal its events are staged anew, together with what follows them.
          if (result.kind === "rejected") return { ...result, kind: "retry" };
          if (result.kind !== "delivered") return result;
          entries = entries.filter(({ record }) => record.seq > resumed.lastSeq);
          if (entries.length === 0) return result;
        }
        return await stageAll(segment, entries, signal);
      } catch (error) {
        return diskFailure(error);
      }
    },
    flushAtMs: () => staged?.flushAtMs,
    async flush(signal) {
      try {
        return await deliver(openStaging(), signal);
      } catch (error) {
        return diskFailure(error);
      }
    },
    async close() {
      file?.close();
      file = undefined;
    },
  };
}
