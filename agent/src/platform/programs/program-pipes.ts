import type { ProcessLibc } from "../libc/process-libc.ts";
import { CapturedOutput } from "./captured-output.ts";

/** A pipe holds 64 KiB; who reads more than a few of them in one go keeps other programs waiting. */
const scratch = Buffer.allocUnsafeSlow(65_536);
const readsInOneGo = 16;

/** Our end of a program's output. Closed at its end. */
export class OutputPipe extends CapturedOutput {
  readonly #libc: ProcessLibc;
  #fd: number;

  constructor(libc: ProcessLibc, fd: number) {
    super();
    this.#libc = libc;
    this.#fd = fd;
    libc.setNonblocking(fd);
  }

  /** -1 when closed. */
  get fd(): number {
    return this.#fd;
  }

  /** Reads what is there, without waiting. */
  drain(): void {
    for (let reads = 0; this.#fd >= 0 && reads < readsInOneGo; reads += 1) {
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

/** Our end of a program's input. Closed when all is written or nobody reads. */
export class InputPipe {
  readonly #libc: ProcessLibc;
  #fd: number;
  #left: Buffer;

  constructor(libc: ProcessLibc, fd: number, text: Buffer) {
    this.#libc = libc;
    this.#fd = fd;
    this.#left = text;
    libc.setNonblocking(fd);
  }

  /** -1 when closed. */
  get fd(): number {
    return this.#fd;
  }

  /** Writes what fits, without waiting. */
  fill(): void {
    while (this.#fd >= 0) {
      const bytes = this.#left.length === 0 ? 0 : this.#libc.write(this.#fd, this.#left);
      if (bytes < 0) {
        // A full pipe is told apart from one without a reader by what `poll` says next.
        if (this.#libc.errno() !== tryAgain) this.close();
        return;
      }
      this.#left = this.#left.subarray(bytes);
      if (this.#left.length === 0) this.close();
    }
  }

  close(): void {
    if (this.#fd >= 0) this.#libc.close(this.#fd);
    this.#fd = -1;
  }
}

/** EAGAIN of Linux. */
const tryAgain = 11;
