import type { Libc } from "../libc/libc.ts";
import { CapturedOutput } from "./captured-output.ts";

/** Shared read buffer, of the size of a pipe. */
const scratch = Buffer.allocUnsafeSlow(65_536);
/** Reads per call of `drain`: more would delay other programs. */
const readBatch = 16;

/** Read end of a program's output pipe. Closes itself at the end of the output. */
export class OutputPipe extends CapturedOutput {
  readonly #libc: Libc;
  #fd: number;

  constructor(libc: Libc, fd: number) {
    super();
    this.#libc = libc;
    this.#fd = fd;
    libc.setNonblocking(fd);
  }

  /** Descriptor; -1 when closed. */
  get fd(): number {
    return this.#fd;
  }

  /** Reads available bytes without waiting. */
  drain(): void {
    for (let reads = 0; this.#fd >= 0 && reads < readBatch; reads += 1) {
      const bytes = this.#libc.read(this.#fd, scratch);
      if (bytes > 0) this.add(scratch.subarray(0, bytes));
      else if (bytes === 0) this.close();
      else return;
    }
  }

  close(): void {
    if (this.#fd >= 0) this.#libc.close(this.#fd);
    this.#fd = -1;
  }
}
