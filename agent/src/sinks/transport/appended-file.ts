import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readlinkSync,
  readSync,
  writeSync,
} from "node:fs";

/** Regular file that is open for appending. Every method throws the system's error. */
export class AppendedFile {
  readonly #descriptor: number;
  #bytes: number;

  /**
   * Opens a regular file, and creates it when it is missing. A symbolic link, and a file that has other names too, are
   * refused, so that another user of the folder cannot direct the lines elsewhere.
   */
  constructor(path: string) {
    const { O_APPEND, O_CREAT, O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants;
    this.#descriptor = openSync(path, O_APPEND | O_CREAT | O_RDWR | O_NOFOLLOW | O_NONBLOCK, 0o640);
    const found = fstatSync(this.#descriptor);
    this.#bytes = found.size;
    if (found.isFile() && found.nlink <= 1) return;
    this.close();
    throw found.isFile()
      ? Object.assign(new Error("a hard link"), { code: "EMLINK" })
      : Object.assign(new Error("not a regular file"), { code: "ENOTFILE" });
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Number of the file on its disk, which it keeps when it is renamed. */
  get inode(): number {
    return fstatSync(this.#descriptor).ino;
  }

  /** Path at which the kernel has the file now, without links; undefined where it does not tell. */
  get realPath(): string | undefined {
    try {
      return readlinkSync(`/proc/self/fd/${this.#descriptor}`);
    } catch {
      return undefined;
    }
  }

  /** Appends all of `data` or, when the disk fails, none of it. `synced`: returns when it is on the disk. Default: false. */
  append(data: Buffer, { synced = false } = {}): void {
    let written = 0;
    try {
      while (written < data.length) written += writeSync(this.#descriptor, data, written);
      if (synced) fsyncSync(this.#descriptor);
    } catch (error) {
      if (written > 0) ftruncateSync(this.#descriptor, this.#bytes);
      throw error;
    }
    this.#bytes += data.length;
  }

  /** Reads `length` bytes at `offset`, or those that exist. */
  read(offset: number, length: number): Buffer {
    const data = Buffer.alloc(length);
    let filled = 0;
    while (filled < length) {
      const count = readSync(this.#descriptor, data, filled, length - filled, offset + filled);
      if (count === 0) break;
      filled += count;
    }
    return data.subarray(0, filled);
  }

  /** Cuts the file to its first `bytes`. */
  truncate(bytes: number): void {
    ftruncateSync(this.#descriptor, bytes);
    this.#bytes = bytes;
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
