/** One line of the benchmark table. */
export type BenchRow = {
  /** Name of the measurement: `engine step, 100 000 objects`. */
  readonly name: string;
  /** Measured value, in `unit`. */
  readonly rate: number;
  /** Unit, such as `results/s`, `ms` or `MiB`. */
  readonly unit: string;
  /** Conditions of the measurement: sizes, concurrency, other load. */
  readonly note?: string;
  /** Name of the row of the same module to compare with: the table shows the ratio. */
  readonly against?: string;
};
