/** Step in which the capacity grows, bytes. */
const stepBytes = 65_536;

/**
 * Bytes that arrive in chunks. The capacity grows with the bytes received, and no list of chunks is kept, so memory stays
 * proportional to them even with a million tiny chunks. Growing copies nothing, and memory that is given back goes to the
 * operating system: the allocator of other buffers keeps hundreds of megabytes after an attack.
 */
export class GrowingBuffer {
  readonly #maxCapacity: number;
  // In most requests the first chunk is the whole body.
  #first: Uint8Array | undefined;
  #grown: ArrayBuffer | undefined;
  #length = 0;

  constructor(maxCapacity: number) {
    this.#maxCapacity = maxCapacity;
  }

  get length(): number {
    return this.#length;
  }

  get capacity(): number {
    return this.#grown?.byteLength ?? this.#length;
  }

  /** Capacity that further bytes need. */
  capacityWith(bytes: number): number {
    const needed = this.#length + bytes;
    if (needed <= this.capacity || this.#length === 0) return Math.max(needed, this.capacity);
    return Math.min(this.#maxCapacity, Math.ceil(needed / stepBytes) * stepBytes);
  }

  /** Adds a chunk, with which there are at most `maxCapacity` bytes. Throws a RangeError when there is no memory. */
  append(chunk: Uint8Array): void {
    if (this.#length === 0) this.#first = chunk;
    else {
      const capacity = this.capacityWith(chunk.length);
      if (this.#grown === undefined) {
        this.#grown = new ArrayBuffer(capacity, { maxByteLength: this.#maxCapacity });
        new Uint8Array(this.#grown).set(this.#first ?? []);
        this.#first = undefined;
      } else if (capacity > this.#grown.byteLength) this.#grown.resize(capacity);
      new Uint8Array(this.#grown).set(chunk, this.#length);
    }
    this.#length += chunk.length;
  }

  bytes(): Uint8Array {
    return this.#grown === undefined ? (this.#first ?? new Uint8Array()) : new Uint8Array(this.#grown, 0, this.#length);
  }

  /** Gives the memory back at once. */
  free(): void {
    freeGrown(this.bytes());
    this.#grown = undefined;
    this.#first = undefined;
    this.#length = 0;
  }
}

/**
 * Gives back the memory of bytes that a buffer has returned, if they have memory of their own; they become empty. An idle
 * program does not collect garbage for minutes.
 */
export function freeGrown({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.resizable) buffer.resize(0);
}
