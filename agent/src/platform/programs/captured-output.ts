/** Captured bytes of each output stream. */
export const maxCapturedBytes = 65_536;

/** Time that children of an ended program may hold its output open, ms. */
export const outputGraceMs = 100;

/** Captures the beginning of an output stream; further bytes are dropped. */
export class CapturedOutput {
  readonly #chunks: Buffer[] = [];
  #length = 0;
  #dropped = false;

  /** Adds a copy of `chunk`, so that the caller may reuse its memory. */
  add(chunk: Buffer): void {
    const room = maxCapturedBytes - this.#length;
    this.#dropped ||= chunk.length > room;
    if (room === 0 || chunk.length === 0) return;
    const part = Buffer.from(chunk.subarray(0, room));
    this.#chunks.push(part);
    this.#length += part.length;
  }

  /** True when bytes were dropped. */
  get truncated(): boolean {
    return this.#dropped;
  }

  bytes(): Buffer {
    return this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks, this.#length);
  }
}
