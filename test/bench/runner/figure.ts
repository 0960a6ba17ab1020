import type { BenchRow } from "../bench-row.ts";

/** Middle, smallest and largest of several values. */
export type Spread = { readonly median: number; readonly min: number; readonly max: number };

/** Ratio of a measurement to another one of the same run, over all runs; `cpu` is that of the processor times. */
type Ratio = { readonly against: string; readonly spread: Spread; readonly cpu?: Spread };

/** One measurement over all runs. */
export type Figure = {
  readonly name: string;
  readonly unit: string;
  readonly note: string;
  /** Values in the order of the runs. */
  readonly values: readonly number[];
  readonly spread: Spread;
  readonly cpuMs?: Spread;
  readonly ratios: readonly Ratio[];
};

/** Rows that the benchmarks of one file returned in one run. */
export type BenchRun = readonly BenchRow[];

/** Spread of at least one value; with an even number of values, the median is the mean of the two in the middle. */
export function spreadOfRuns(values: readonly number[]): Spread {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  const half = sorted.length >> 1;
  return {
    median: sorted.length % 2 === 1 ? at(half) : (at(half - 1) + at(half)) / 2,
    min: at(0),
    max: at(sorted.length - 1),
  };
}

/**
 * Measurements of several runs, in the order of their first appearance. A ratio is formed within each run, so that load
 * of the machine that lasts for a whole run affects both sides of it.
 */
export function figuresOf(runs: readonly BenchRun[]): Figure[] {
  const byName = Map.groupBy(
    runs.flatMap((rows) => rows.map((row) => ({ row, rows }))),
    ({ row }) => row.name,
  );
  return [...byName].map(([name, found]) => {
    const row = found.at(-1)?.row;
    const values = found.map((each) => each.row.rate);
    const cpuMs = found.flatMap((each) => each.row.cpuMs ?? []);
    return {
      ...{ name, unit: row?.unit ?? "", note: row?.note ?? "", values, spread: spreadOfRuns(values) },
      ...(cpuMs.length === 0 ? {} : { cpuMs: spreadOfRuns(cpuMs) }),
      ratios: [row?.against ?? []].flat().flatMap((against) => ratioOf(against, found)),
    };
  });
}

function ratioOf(against: string, found: readonly { readonly row: BenchRow; readonly rows: BenchRun }[]): Ratio[] {
  const ratiosOf = (fieldOf: (row: BenchRow) => number | undefined): number[] =>
    found.flatMap(({ row, rows }) => {
      const own = fieldOf(row);
      const other = rows.filter(({ name }) => name === against).map(fieldOf)[0] ?? 0;
      return own === undefined || other === 0 ? [] : [own / other];
    });
  const [ratios, cpu] = [ratiosOf(({ rate }) => rate), ratiosOf(({ cpuMs }) => cpuMs)];
  if (ratios.length === 0) return [];
  return [{ against, spread: spreadOfRuns(ratios), ...(cpu.length === 0 ? {} : { cpu: spreadOfRuns(cpu) }) }];
}

/**
 * Rows of pairs of runs of two builds, as rows of this build that are compared with those of the other one. A
 * measurement that only one build has is left out.
 */
export function pairRuns(pairs: readonly { readonly here: BenchRun; readonly there: BenchRun }[]): BenchRun[] {
  return pairs.map(({ here, there }) =>
    here.flatMap((row) => {
      const other = there.find(({ name }) => name === row.name);
      if (other === undefined) return [];
      const name = `${row.name}, before`;
      return [
        { ...other, name, against: [] },
        { ...row, against: name },
      ];
    }),
  );
}
