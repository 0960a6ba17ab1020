/** One line of the benchmark table. */
export type BenchRow = {
  /** What was measured, in a few words: `engine step, 100 000 objects`. */
  readonly name: string;
  /** How much, in `unit`. */
  readonly rate: number;
  /** `results/s`, `ms`, `MB` … */
  readonly unit: string;
  /** What the figure depends on: sizes, concurrency, what else ran. */
  readonly note?: string;
  /** Name of the row of the same module that this one is compared with: the table then shows how many times as much. */
  readonly against?: string;
};
