import type { Libc } from "../libc/libc.ts";

/** Delay before killed processes are reaped, ms. */
export const reapAfterMs = 20;
/** Interval at which orphans are reaped, ms. */
export const reapIntervalMs = 1_000;

/** Reaps the orphans of ended programs, which would stay as zombies of this process otherwise. */
export class OrphanReaper {
  readonly #libc: Libc;
  /** Time at which `run` is due next; Infinity without children. */
  dueMs = Number.POSITIVE_INFINITY;

  constructor(libc: Libc) {
    this.#libc = libc;
  }

  /** Schedules `run` at the latest for `atMs`. */
  scheduleBy(atMs: number): void {
    if (atMs < this.dueMs) this.dueMs = atMs;
  }

  /** Reaps ended children if due. `programs` are skipped: their status is taken elsewhere. */
  run(nowMs: number, programs: Iterable<{ readonly pid: number }>): void {
    if (this.dueMs > nowMs) return;
    const skipped = new Set<number>();
    for (const { pid } of programs) skipped.add(pid);
    let ended = this.#libc.endedChild();
    for (; ended > 0 && !skipped.has(ended); ended = this.#libc.endedChild()) this.#libc.takeStatus(ended);
    this.dueMs = ended < 0 ? Number.POSITIVE_INFINITY : nowMs + reapIntervalMs;
  }
}
