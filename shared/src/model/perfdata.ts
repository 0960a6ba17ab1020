/** One point of performance data as the plugin gave it. `value` is undefined where the plugin said `U`. */
export type PerfPoint = {
  readonly label: string;
  readonly value: number | undefined;
  /** Raw unit: `s`, `ms`, `B`, `%`, `c`, or empty. */
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
