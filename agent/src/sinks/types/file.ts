import { lstatSync, renameSync } from "node:fs";
import type { Clock } from "@realmwatch/shared/model/clock";
import { delivered } from "../../platform/outbound/delivery-result.ts";
import { formatEntryLines } from "../encode/entry-lines.ts";
import { linesWithin } from "../encode/whole-lines.ts";
import type { SinkBatch, SinkSendResult, SinkWriter, SinkWriterType } from "../sink-type.ts";
import { AppendedFile } from "../transport/appended-file.ts";
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

function openLineFile({ clock, path, rotateBytes, realm }: LineFileOptions): SinkWriter {
  let file: AppendedFile | undefined;
  /** Bytes of the batch in progress that are in a file already: after a failure the batch is offered again. */
  let written = 0;

  function close(): void {
    file?.close();
    file = undefined;
  }

  /** Renames the full file, unless another program has moved it and put its own in its place. */
  function rotate({ inode }: AppendedFile): void {
    const isStillThere = lstatSync(path, { throwIfNoEntry: false })?.ino === inode;
    close();
    if (isStillThere) renameSync(path, freeName(path, clock.now()));
  }

  function write(batch: SinkBatch): void {
    const lines = Buffer.from(formatEntryLines(batch, realm));
    while (written < lines.length) {
      if (file === undefined) {
        file = new AppendedFile(path);
        endLastLine(file);
      }
      const room = rotateBytes - file.bytes;
      const part = linesWithin(lines.subarray(written), room, { atLeastOne: file.bytes === 0 });
      if (part.length === 0) {
        rotate(file);
        continue;
      }
      file.append(part);
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

/** Ends an incomplete last line, which a killed process left. */
function endLastLine(file: AppendedFile): void {
  if (file.bytes > 0 && file.read(file.bytes - 1, 1)[0] !== 0x0a) file.append(Buffer.from("\n"));
}

/** Unused name for the full file: its path with the time in UTC. */
function freeName(path: string, nowMs: number): string {
  const name = `${path}.${new Date(nowMs).toISOString().replace(/[-:]/g, "")}`;
  return lstatSync(name, { throwIfNoEntry: false }) === undefined ? name : freeName(path, nowMs + 1);
}
