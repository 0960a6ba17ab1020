/** Lets a bounded number at a time through at each name, first come, first served. */
export class KeyedSemaphore {
  readonly #atOnce: number;
  readonly #places = new Map<string, { inside: number; readonly waiting: (() => void)[] }>();

  /** @param atOnce how many at a name, at least 1 */
  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** True once inside: `leave` has to follow. False where `signal` aborts first. */
  enter(name: string, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    const place = this.#places.get(name) ?? { inside: 0, waiting: [] };
    this.#places.set(name, place);
    if (place.inside < this.#atOnce) {
      place.inside++;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const come = (): void => {
        signal.removeEventListener("abort", give);
        resolve(true);
      };
      const give = (): void => {
        place.waiting.splice(place.waiting.indexOf(come), 1);
        resolve(false);
      };
      place.waiting.push(come);
      signal.addEventListener("abort", give, { once: true });
    });
  }

  leave(name: string): void {
    const place = this.#places.get(name);
    if (place === undefined) return;
    const next = place.waiting.shift();
    if (next !== undefined) next();
    else if (--place.inside === 0) this.#places.delete(name);
  }
}
