import { seededRandom } from "@realmwatch/shared/platform/testing/seeded-random.fixture";

type Scheduled = { readonly atMs: number; readonly order: number; run(): void };

/** True time of a model: runs what was scheduled, in order. */
export class ModelTime {
  nowMs = 0;
  readonly random: () => number;
  #order = 0;
  #scheduled: Scheduled[] = [];
  readonly #afterEach: () => void;

  constructor(seed: number, afterEach: () => void) {
    const { upTo } = seededRandom(seed);
    this.random = () => upTo(1);
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
