/** One measurement of a run. */
export type BenchRow = {
  /** Name of the measurement: `engine step, 100 000 objects`. */
  readonly name: string;
  /** Measured value, in `unit`. */
  readonly rate: number;
  /** Unit, such as `results/s`, `ms` or `MiB`. */
  readonly unit: string;
  /** Processor time of all processes that do the work, ms for each unit of work. */
  readonly cpuMs?: number;
  /** Conditions of the measurement: sizes, concurrency, other load. */
  readonly note?: string;
  /**
   * Names of rows of the same file to compare with: the table shows the ratios. A row that is missing, because a peer is
   * not installed, has no ratio.
   */
  readonly against?: string | readonly string[];
};
