import type { ProcessLibc } from "../libc/process-libc.ts";
import { killMarked, killMarkedNow } from "./marked-processes.ts";

/** How soon what was killed is waited for, and how often orphans are, ms. */
export const reapAfterMs = 20;
export const reapEveryMs = 1_000;
/** Strays are looked for at most so often, ms: a pass over /proc is not free, and timeouts come in crowds. */
const sweepEveryMs = 1_000;

/**
 * What programs leave behind: processes that left their group before it was killed, which have to be found by their
 * mark, and orphans, which somebody has to wait for, or they stay as zombies.
 */
export class LeftoverProcesses {
  readonly #libc: ProcessLibc;
  #marks: string[] = [];
  #sweep: { readonly marks: readonly string[]; readonly pass: Generator<void, number> } | undefined;
  #nextSweepMs = 0;
  #reapAtMs = Number.POSITIVE_INFINITY;

  constructor(libc: ProcessLibc) {
    this.#libc = libc;
  }

  /** Has the processes with `mark` killed soon. */
  sweep(mark: string): void {
    this.#marks.push(mark);
  }

  /** Has children that ended, and are no programs that run, waited for by then. */
  reapBy(atMs: number): void {
    if (atMs < this.#reapAtMs) this.#reapAtMs = atMs;
  }

  /** When to `look` next. */
  get dueMs(): number {
    if (this.#sweep !== undefined) return 0;
    return this.#marks.length > 0 ? Math.min(this.#reapAtMs, this.#nextSweepMs) : this.#reapAtMs;
  }

  /**
   * Does a little of what is due.
   *
   * @param running programs whose end others wait for
   * @returns how many processes a sweep that has come to its end killed
   */
  runDue(nowMs: number, running: Iterable<{ readonly pid: number }>): number {
    if (this.#reapAtMs <= nowMs) this.#reap(nowMs, running);
    if (this.#sweep === undefined && this.#marks.length > 0 && this.#nextSweepMs <= nowMs) {
      this.#sweep = { marks: this.#marks, pass: killMarked(this.#marks) };
      this.#marks = [];
    }
    const step = this.#sweep?.pass.next();
    if (!step?.done) return 0;
    this.#sweep = undefined;
    this.#nextSweepMs = nowMs + sweepEveryMs;
    this.reapBy(nowMs + reapAfterMs);
    return step.value;
  }

  /** Does all that is due at once. */
  killAllNow(): void {
    killMarkedNow([...(this.#sweep?.marks ?? []), ...this.#marks]);
  }

  #reap(nowMs: number, running: Iterable<{ readonly pid: number }>): void {
    const others = new Set<number>();
    for (const { pid } of running) others.add(pid);
    let ended = this.#libc.endedChild();
    for (; ended > 0 && !others.has(ended); ended = this.#libc.endedChild()) this.#libc.takeStatus(ended);
    this.#reapAtMs = ended < 0 ? Number.POSITIVE_INFINITY : nowMs + reapEveryMs;
  }
}
