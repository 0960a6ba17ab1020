/**
 * Protocol between the pool and a helper: frames over one socket, each a length (u32) and content, numbers little-endian.
 * The strings of a program are NUL-terminated as execve(2) expects them, so that the helper passes them on unparsed.
 */

/** Order to start a program. `strings`: `argc` arguments, then `envc` times `NAME=value`, its whole environment. */
export type StartOrder = {
  readonly kind: "start";
  readonly id: number;
  readonly timeoutMs: number;
  readonly argc: number;
  readonly envc: number;
  readonly strings: Buffer;
};
type HelperOrder = StartOrder | { readonly kind: "abort"; readonly id: number };

/** End of a run, or the number of killed `strays`. `code`: exit code, signal, errno or that number. */
export type ProgramEnding = {
  readonly kind: (typeof endingKinds)[number];
  readonly id: number;
  readonly code: number;
  /** Time since the program's start, ms. */
  readonly elapsedMs: number;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly truncated: boolean;
};

export const endingKinds = ["exited", "signalled", "timed_out", "not_started", "aborted", "strays"] as const;

const startHeader = 16;
const endingHeader = 28;
/** Largest timeout, sent as u32, ms: 49 days. */
const longestMs = 2 ** 32 - 1;
/** Initial size of a buffer, and the largest that is kept while empty. */
const firstBytes = 65_536;
const keptBytes = 1_048_576;
const nothing = Buffer.alloc(0);

/** Queue of frames to be sent, in one buffer. */
export class FrameWriter {
  #buffer: Buffer = Buffer.allocUnsafeSlow(firstBytes);
  #length = 0;

  get empty(): boolean {
    return this.#length === 0;
  }

  /** @param strings NUL-terminated arguments and environment */
  start(order: Omit<StartOrder, "kind" | "strings">, strings: string): void {
    const at = this.#length;
    const buffer = this.#grow(4 + startHeader + 3 * strings.length);
    const stringBytes = buffer.write(strings, at + 4 + startHeader);
    buffer.writeUInt32LE(startHeader + stringBytes, at);
    buffer.writeUInt32LE(order.id, at + 4);
    buffer.writeUInt32LE(Math.min(Math.max(1, Math.ceil(order.timeoutMs)), longestMs), at + 8);
    buffer.writeUInt32LE(order.argc, at + 12);
    buffer.writeUInt32LE(order.envc, at + 16);
    this.#length = at + 4 + startHeader + stringBytes;
  }

  abort(id: number): void {
    const at = this.#length;
    const buffer = this.#grow(8);
    buffer.writeUInt32LE(4, at);
    buffer.writeUInt32LE(id, at + 4);
    this.#length = at + 8;
  }

  ending({ kind, id, code, elapsedMs, stdout, stderr, truncated }: ProgramEnding): void {
    const at = this.#length;
    const length = endingHeader + stdout.length + stderr.length;
    const buffer = this.#grow(4 + length);
    buffer.writeUInt32LE(length, at);
    buffer.writeUInt32LE(id, at + 4);
    buffer.writeUInt16LE(endingKinds.indexOf(kind), at + 8);
    buffer.writeUInt16LE(truncated ? 1 : 0, at + 10);
    buffer.writeInt32LE(code, at + 12);
    buffer.writeDoubleLE(elapsedMs, at + 16);
    buffer.writeUInt32LE(stdout.length, at + 24);
    buffer.writeUInt32LE(stderr.length, at + 28);
    stdout.copy(buffer, at + 4 + endingHeader);
    stderr.copy(buffer, at + 4 + endingHeader + stdout.length);
    this.#length = at + 4 + length;
  }

  /** Queued bytes without a copy; the caller reports with `sent` how many it has sent. */
  peek(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  sent(bytes: number): void {
    this.#buffer.copyWithin(0, bytes, this.#length);
    this.#length -= bytes;
  }

  /** Removes and returns the queued bytes. */
  take(): Buffer {
    const taken = Buffer.from(this.peek());
    this.#length = 0;
    if (this.#buffer.length > keptBytes) this.#buffer = Buffer.allocUnsafeSlow(firstBytes);
    return taken;
  }

  #grow(bytes: number): Buffer {
    const wanted = this.#length + bytes;
    if (wanted > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(wanted)));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    return this.#buffer;
  }
}

/** Splits a byte stream into frames. A frame is a view that is valid until more bytes are read. */
export class FrameReader {
  /** Not pooled, and not reallocated while a frame is in use: system calls read from it. */
  #buffer: Buffer = Buffer.allocUnsafeSlow(firstBytes);
  #from = 0;
  #to = 0;

  /** Memory for the next bytes, never empty. The caller reports with `took` how many it has read. */
  room(): Buffer {
    const held = this.#to - this.#from;
    const needed = 4 + (held >= 4 ? this.#buffer.readUInt32LE(this.#from) : 0);
    if (needed > this.#buffer.length || held === this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(Math.max(needed, held) + 1)));
      this.#buffer.copy(larger, 0, this.#from, this.#to);
      this.#buffer = larger;
    } else if (this.#from > 0) this.#buffer.copyWithin(0, this.#from, this.#to);
    this.#from = 0;
    this.#to = held;
    return this.#buffer.subarray(held);
  }

  took(bytes: number): void {
    this.#to += bytes;
  }

  /** Adds `chunk` and calls `each` for every complete frame. */
  push(chunk: Buffer, each: (frame: Buffer) => void): void {
    for (let at = 0; at < chunk.length; ) {
      const took = chunk.copy(this.room(), 0, at);
      this.took(took);
      at += took;
      for (let frame = this.next(); frame !== undefined; frame = this.next()) each(frame);
    }
  }

  /** Next frame; undefined when it is incomplete. */
  next(): Buffer | undefined {
    const held = this.#to - this.#from;
    if (held < 4) return undefined;
    const length = this.#buffer.readUInt32LE(this.#from);
    if (held < 4 + length) return undefined;
    const frame = this.#buffer.subarray(this.#from + 4, this.#from + 4 + length);
    this.#from += 4 + length;
    return frame;
  }
}

export function decodeOrder(frame: Buffer): HelperOrder {
  const id = frame.readUInt32LE(0);
  if (frame.length === 4) return { kind: "abort", id };
  return {
    kind: "start",
    id,
    timeoutMs: frame.readUInt32LE(4),
    argc: frame.readUInt32LE(8),
    envc: frame.readUInt32LE(12),
    strings: frame.subarray(startHeader),
  };
}

export function decodeEnding(frame: Buffer): ProgramEnding {
  const split = endingHeader + frame.readUInt32LE(20);
  return {
    kind: endingKinds[frame.readUInt16LE(4)] ?? "aborted",
    id: frame.readUInt32LE(0),
    truncated: frame.readUInt16LE(6) === 1,
    code: frame.readInt32LE(8),
    elapsedMs: frame.readDoubleLE(12),
    stdout: frame.subarray(endingHeader, split),
    stderr: frame.subarray(split),
  };
}

/** Creates an ending without output. */
export const endingWithoutOutput = (kind: ProgramEnding["kind"], id: number, code = 0): ProgramEnding => ({
  kind,
  id,
  code,
  elapsedMs: 0,
  stdout: nothing,
  stderr: nothing,
  truncated: false,
});
