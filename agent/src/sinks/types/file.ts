import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from "node:fs";
import type { Clock } from "@realmwatch/shared/model/clock";
import { delivered } from "../../platform/outbound/delivery-result.ts";
import { formatEntryLines } from "../encode/entry-lines.ts";
import { linesWithin } from "../encode/whole-lines.ts";
import type { SinkSendResult } from "../send-result.ts";
import type { SinkBatch } from "../sink-entry.ts";
import type { SinkWriter, SinkWriterType } from "../sink-type.ts";
import { diskFailure } from "../transport/disk-failure.ts";

type LineFileOptions = {
  readonly clock: Pick<Clock, "now">;
  readonly path: string;
  /** Size at which the file is renamed and a new one started, bytes. */
  readonly rotateBytes: number;
  readonly realm: string;
};

/** Writes lines of JSON to a file, which is renamed to `path.<UTC time>` when it is full. */
export const fileSinkType: SinkWriterType<"file"> = {
  open: ({ path, rotateBytes }, { clock, realm }) => openLineFile({ clock, path, rotateBytes, realm }),
};

type OpenLineFile = { readonly descriptor: number; bytes: number };

function openLineFile({ clock, path, rotateBytes, realm }: LineFileOptions): SinkWriter {
  let file: OpenLineFile | undefined;
  /** Bytes of the batch in progress that are in a file already: after a failure the batch is offered again. */
  let written = 0;

  function close(): void {
    if (file !== undefined) closeSync(file.descriptor);
    file = undefined;
  }

  /** Renames the full file, unless another program has moved it and put its own in its place. */
  function rotate({ descriptor }: OpenLineFile): void {
    const isStillThere = lstatSync(path, { throwIfNoEntry: false })?.ino === fstatSync(descriptor).ino;
    close();
    if (isStillThere) renameSync(path, freeName(path, clock.now()));
  }

  function write(batch: SinkBatch): void {
    const lines = Buffer.from(formatEntryLines(batch, realm));
    while (written < lines.length) {
      file ??= openAppended(path);
      const room = rotateBytes - file.bytes;
      const part = linesWithin(lines.subarray(written), room, { atLeastOne: file.bytes === 0 });
      if (part.length === 0) {
        rotate(file);
        continue;
      }
      appendWhole(file, part);
      written += part.length;
    }
    written = 0;
  }

  return {
    async send(batch): Promise<SinkSendResult> {
      try {
        write(batch);
        return delivered;
      } catch (error) {
        close();
        return diskFailure(error);
      }
    },
    reopen: close,
    async close() {
      close();
    },
  };
}

/**
 * Opens a regular file for appending and creates it when it is missing. A symbolic link is refused, so that another user
 * of the folder cannot direct the lines elsewhere.
 */
function openAppended(path: string): OpenLineFile {
  const { O_APPEND, O_CREAT, O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants;
  const descriptor = openSync(path, O_APPEND | O_CREAT | O_RDWR | O_NOFOLLOW | O_NONBLOCK, 0o640);
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile()) throw Object.assign(new Error("not a regular file"), { code: "ENOTFILE" });
    const file = { descriptor, bytes: found.size };
    if (found.size > 0 && !endsWithLineFeed(file)) appendWhole(file, Buffer.from("\n"));
    return file;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** False when a killed process left an incomplete last line. */
function endsWithLineFeed({ descriptor, bytes }: OpenLineFile): boolean {
  const last = Buffer.alloc(1);
  readSync(descriptor, last, 0, 1, bytes - 1);
  return last[0] === 0x0a;
}

/** Appends all of `data` or, when the disk fails, none of it. Throws the system's error. */
function appendWhole(file: OpenLineFile, data: Buffer): void {
  const before = file.bytes;
  let written = 0;
  try {
    while (written < data.length) written += writeSync(file.descriptor, data, written);
  } catch (error) {
    if (written > 0) ftruncateSync(file.descriptor, before);
    throw error;
  }
  file.bytes = before + data.length;
}

/** Unused name for the full file: its path with the time in UTC. */
function freeName(path: string, nowMs: number): string {
  const name = `${path}.${new Date(nowMs).toISOString().replace(/[-:]/g, "")}`;
  return lstatSync(name, { throwIfNoEntry: false }) === undefined ? name : freeName(path, nowMs + 1);
}
