/** Number generator of a model run: equal seeds give equal runs. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Scheduled = { readonly atMs: number; readonly order: number; run(): void };

/** True time of a model: runs what was scheduled, in order. */
export class ModelTime {
  nowMs = 0;
  readonly random: () => number;
  #order = 0;
  #scheduled: Scheduled[] = [];
  readonly #afterEach: () => void;

  constructor(seed: number, afterEach: () => void) {
    this.random = seededRandom(seed);
    this.#afterEach = afterEach;
  }

  /** A span between `low` and `high`, ms. */
  span(low: number, high: number): number {
    return low + this.random() * (high - low);
  }

  after(ms: number, run: () => void): void {
    const next = { atMs: this.nowMs + ms, order: this.#order++, run };
    let at = this.#scheduled.length;
    while (at > 0 && isLater(this.#scheduled[at - 1], next)) at--;
    this.#scheduled.splice(at, 0, next);
  }

  advance(ms: number): void {
    const untilMs = this.nowMs + ms;
    for (let next = this.#scheduled[0]; next !== undefined && next.atMs <= untilMs; next = this.#scheduled[0]) {
      this.#scheduled.shift();
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.run();
      this.#afterEach();
    }
    this.nowMs = untilMs;
    this.#afterEach();
  }
}

const isLater = (a: Scheduled | undefined, b: Scheduled): boolean =>
  a !== undefined && (a.atMs > b.atMs || (a.atMs === b.atMs && a.order > b.order));
