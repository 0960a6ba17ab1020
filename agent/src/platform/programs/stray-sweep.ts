import { killMarked, killMarkedNow } from "./marked-processes.ts";

/** Minimum interval between sweeps, ms: a pass over /proc is costly, and timeouts often occur together. */
const sweepIntervalMs = 1_000;

/** Finds and kills processes that left the group of a killed program. Each call of `step` takes about a millisecond. */
export class StraySweep {
  #waiting: string[] = [];
  #current: { readonly marks: readonly string[]; readonly pass: Generator<void, number> } | undefined;
  #nextMs = 0;

  /** Schedules the processes with `mark` to be killed. */
  add(mark: string): void {
    this.#waiting.push(mark);
  }

  /** Time at which `step` is due next; Infinity when there is nothing to do. */
  get dueMs(): number {
    if (this.#current !== undefined) return 0;
    return this.#waiting.length > 0 ? this.#nextMs : Number.POSITIVE_INFINITY;
  }

  /** Continues a due sweep; returns the number of killed processes when it is complete, else undefined. */
  step(nowMs: number): number | undefined {
    if (this.dueMs > nowMs) return undefined;
    if (this.#current === undefined) {
      this.#current = { marks: this.#waiting, pass: killMarked(this.#waiting) };
      this.#waiting = [];
    }
    const { done, value } = this.#current.pass.next();
    if (!done) return undefined;
    this.#current = undefined;
    this.#nextMs = nowMs + sweepIntervalMs;
    return value;
  }

  /** Kills all scheduled processes and those with `marks` at once. */
  finish(marks: readonly string[] = []): void {
    killMarkedNow([...(this.#current?.marks ?? []), ...this.#waiting, ...marks]);
  }
}
