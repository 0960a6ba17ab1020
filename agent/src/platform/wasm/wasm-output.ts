import type { ProgramOutput } from "../programs/program-runner.ts";

/** Captured bytes of each stream; the rest is dropped. */
const maxBytes = 65_536;
const headBytes = 16;

/**
 * Captured output of a module, in memory shared with the thread that runs it, so that it can be read while the module
 * hangs. Layout: four 32-bit numbers (captured bytes of stdout and of stderr, 1 when truncated, and a constant used for
 * sleeping), then both streams.
 */
export class WasmOutput {
  readonly shared: SharedArrayBuffer;
  readonly #head: Int32Array;
  readonly #streams: readonly Uint8Array[];

  constructor(shared = new SharedArrayBuffer(headBytes + 2 * maxBytes)) {
    this.shared = shared;
    this.#head = new Int32Array(shared, 0, 4);
    this.#streams = [0, 1].map((stream) => new Uint8Array(shared, headBytes + stream * maxBytes, maxBytes));
  }

  clear(): void {
    this.#head.fill(0);
  }

  /** @param stream 0 for stdout, 1 for stderr */
  write(stream: 0 | 1, bytes: Uint8Array): void {
    const kept = this.#head[stream] ?? 0;
    const part = bytes.subarray(0, maxBytes - kept);
    this.#streams[stream]?.set(part, kept);
    Atomics.store(this.#head, stream, kept + part.length);
    if (part.length < bytes.length) Atomics.store(this.#head, 2, 1);
  }

  read(): ProgramOutput {
    const truncated = Atomics.load(this.#head, 2) === 1;
    const text = (stream: 0 | 1): string => {
      const bytes = this.#streams[stream]?.slice(0, Atomics.load(this.#head, stream));
      return new TextDecoder().decode(bytes, { stream: truncated });
    };
    return { stdout: text(0), stderr: text(1), truncated };
  }

  /** Blocks the thread; unlike a sleep in the system, this ends when the thread is terminated. */
  sleep(ms: number): void {
    Atomics.wait(this.#head, 3, 0, ms);
  }
}
