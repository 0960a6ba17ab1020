/** Limits the number of concurrent holders per key; waiting callers are served in order of arrival. */
export class KeyedSemaphore {
  readonly #limit: number;
  readonly #keys = new Map<string, { held: number; readonly waiting: (() => void)[] }>();

  /** @param limit concurrent holders per key, at least 1 */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Resolves to true once acquired: `release` has to follow. Resolves to false when `signal` aborts first. */
  acquire(key: string, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    const entry = this.#keys.getOrInsertComputed(key, () => ({ held: 0, waiting: [] }));
    if (entry.held < this.#limit) {
      entry.held++;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const proceed = (): void => {
        signal.removeEventListener("abort", cancel);
        resolve(true);
      };
      const cancel = (): void => {
        entry.waiting.splice(entry.waiting.indexOf(proceed), 1);
        resolve(false);
      };
      entry.waiting.push(proceed);
      signal.addEventListener("abort", cancel, { once: true });
    });
  }

  release(key: string): void {
    const entry = this.#keys.get(key);
    if (entry === undefined) return;
    const next = entry.waiting.shift();
    if (next !== undefined) next();
    else if (--entry.held === 0) this.#keys.delete(key);
  }
}
