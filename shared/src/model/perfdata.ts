/** One item of performance data as the plugin returned it. `value` is undefined when the plugin returned `U`. */
export type PerfPoint = {
  readonly label: string;
  readonly value: number | undefined;
  /** Unit as returned: `s`, `ms`, `B`, `%`, `c`, or empty. */
  readonly uom: string;
  /** Threshold range or empty. */
  readonly warn: string;
  readonly crit: string;
  readonly min: number | undefined;
  readonly max: number | undefined;
};

export const perfPoint = (label: string, value: number, uom = ""): PerfPoint => ({
  label,
  value,
  uom,
  warn: "",
  crit: "",
  min: undefined,
  max: undefined,
});
