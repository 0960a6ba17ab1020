import type { ProgramOutput } from "../programs/program-runner.ts";

/** Bytes of each stream that are kept. */
const maxBytes = 65_536;
const headBytes = 16;

/**
 * What a module has printed so far, in memory that its thread shares with the one that waits: it can be read though
 * the thread never comes back. Four numbers (kept bytes of stdout and stderr, whether more came, and one that nothing
 * ever changes, to sleep on), then both streams.
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

  /** @param stream 0 stdout, 1 stderr */
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

  /** Sleeps; unlike the system's own sleep, ending the thread ends it. */
  sleep(ms: number): void {
    Atomics.wait(this.#head, 3, 0, ms);
  }
}
