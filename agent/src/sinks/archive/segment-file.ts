import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  writeSync,
} from "node:fs";
import { dirname, join, relative, sep } from "node:path";

/** File of whole lines, open for appending. Every method throws the system's error. */
export type SegmentFile = {
  /** Size, bytes. */
  bytes(): number;
  /** Last line without its line feed; empty when the file is empty or the line is longer than 1 MiB. */
  lastLine(): string;
  /** Appends and syncs all of `lines` or, when the disk fails, none of them. */
  append(lines: Buffer): void;
  /** Reads `length` bytes at `offset`. */
  read(offset: number, length: number): Buffer;
  truncate(): void;
  close(): void;
};

const tailBytes = 1_048_576;

/**
 * Opens a segment below the folder `base`, and creates it and its folders when they are missing. Refuses symbolic links
 * below `base`. An incomplete last line, which a killed process leaves, is removed.
 */
export function openSegmentFile(path: string, base: string): SegmentFile {
  makeFolders(base, dirname(path));
  const { O_CREAT, O_RDWR, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants;
  const descriptor = openSync(path, O_CREAT | O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK, 0o640);
  const found = fstatSync(descriptor);
  if (!found.isFile()) {
    closeSync(descriptor);
    throw Object.assign(new Error("not a regular file"), { code: "ENOTFILE" });
  }
  let size = found.size;

  function read(offset: number, length: number): Buffer {
    const data = Buffer.alloc(length);
    let filled = 0;
    while (filled < length) {
      const count = readSync(descriptor, data, filled, length - filled, offset + filled);
      if (count === 0) break;
      filled += count;
    }
    return data.subarray(0, filled);
  }

  const tail = read(Math.max(0, size - tailBytes), Math.min(size, tailBytes));
  const end = tail.lastIndexOf(0x0a) + 1;
  if (end < tail.length) {
    size -= tail.length - end;
    ftruncateSync(descriptor, size);
  }

  return {
    bytes: () => size,
    lastLine() {
      const start = Math.max(0, size - tailBytes);
      const lines = read(start, size - start)
        .toString("utf8")
        .split("\n");
      return lines.length > 2 || start === 0 ? (lines.at(-2) ?? "") : "";
    },
    append(lines) {
      let written = 0;
      try {
        while (written < lines.length) written += writeSync(descriptor, lines, written);
        fsyncSync(descriptor);
      } catch (error) {
        ftruncateSync(descriptor, size);
        throw error;
      }
      size += lines.length;
    },
    read,
    truncate() {
      ftruncateSync(descriptor, 0);
      size = 0;
    },
    close: () => closeSync(descriptor),
  };
}

/** Makes `base` and the folders from there to `folder`. A link in place of one of these could lead out of `base`. */
function makeFolders(base: string, folder: string): void {
  mkdirSync(base, { recursive: true, mode: 0o750 });
  let made = base;
  for (const name of relative(base, folder).split(sep)) {
    if (name === "") continue;
    made = join(made, name);
    mkdirSync(made, { recursive: true, mode: 0o750 });
    if (lstatSync(made).isSymbolicLink()) throw Object.assign(new Error("a symbolic link"), { code: "ELOOP" });
  }
}
