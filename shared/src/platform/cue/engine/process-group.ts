/** Values of the shared number that do not name a process group. */
const none = 0;
const starting = -1;
const ended = -2;

/** Time limit for a start under way, ms: a thread that has run out of memory does not finish it. */
const startLimitMs = 5_000;

/** Creates the number that a thread and its owner share for a `ProcessGroup`. */
export const sharedProcessGroup = (): Int32Array => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/**
 * Process group of the program that a thread runs, one at a time. The thread's owner ends it, and may stop the thread at
 * any moment. It waits for a start under way, because until its end only the thread can learn the group's number.
 */
export class ProcessGroup {
  readonly #shared: Int32Array;

  constructor(shared: Int32Array) {
    this.#shared = shared;
  }

  /**
   * Starts a program in the thread. `start` returns the leader of a new process group, which has no number when it could
   * not be started. Throws when the owner has ended the group.
   */
  start<T extends { readonly pid?: number | undefined }>(start: () => T): T {
    const before = Atomics.compareExchange(this.#shared, 0, none, starting);
    if (before !== none)
      throw new Error(before === ended ? "the thread is being closed" : "a program is running already");
    let group = none;
    try {
      const leader = start();
      group = leader.pid ?? none;
      return leader;
    } finally {
      Atomics.store(this.#shared, 0, group);
      Atomics.notify(this.#shared, 0);
    }
  }

  /** Notes in the thread that the program has ended. */
  finish(): void {
    const group = Atomics.load(this.#shared, 0);
    if (group > none) Atomics.compareExchange(this.#shared, 0, group, none);
  }

  /** Ends the program with its whole group, and refuses later starts. */
  async end(): Promise<void> {
    while (!this.#endUnlessStarting())
      if ((await Atomics.waitAsync(this.#shared, 0, starting, startLimitMs).value) === "timed-out") return;
  }

  /** Does the same at once, for the exit of the process, by blocking. */
  endNow(): void {
    while (!this.#endUnlessStarting())
      if (Atomics.wait(this.#shared, 0, starting, startLimitMs) === "timed-out") return;
  }

  #endUnlessStarting(): boolean {
    const group = Atomics.load(this.#shared, 0);
    if (group === starting || Atomics.compareExchange(this.#shared, 0, group, ended) !== group) return false;
    killGroup(group);
    return true;
  }
}

/** Ends all processes of a group with SIGKILL. Does nothing without one, or when it has ended. */
export function killGroup(group: number | undefined): void {
  if (group === undefined || group <= none) return;
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // The group has ended in between.
  }
}
