/** Bytes of one stream that are kept. */
export const maxCapturedBytes = 65_536;

/** The beginning of one stream. What comes beyond is counted as dropped. */
export class CapturedOutput {
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;
  #dropped = false;

  /** Takes a copy, so that the caller may read into the same memory again. */
  add(chunk: Buffer): void {
    const room = maxCapturedBytes - this.#keptBytes;
    this.#dropped ||= chunk.length > room;
    if (room === 0 || chunk.length === 0) return;
    const part = Buffer.from(chunk.subarray(0, room));
    this.#kept.push(part);
    this.#keptBytes += part.length;
  }

  get truncated(): boolean {
    return this.#dropped;
  }

  bytes(): Buffer {
    return this.#kept.length === 1 ? (this.#kept[0] as Buffer) : Buffer.concat(this.#kept, this.#keptBytes);
  }
}
