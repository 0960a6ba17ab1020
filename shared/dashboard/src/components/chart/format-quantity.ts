/** Unit in which values of one perfdata row or one plot are written. */
export type DisplayUnit = {
  /** Value in this unit = value as given / `divisor`. */
  readonly divisor: number;
  /** Symbol after the number; empty for plain numbers. */
  readonly symbol: string;
};

const byteSteps = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
const byteUnits: Readonly<Record<string, number>> = { B: 1, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };
const secondUnits: Readonly<Record<string, number>> = { us: 1e-6, ms: 1e-3, s: 1 };

/**
 * Chooses the unit for values of one magnitude: bytes in steps of 1024, seconds from microseconds up. Units that are
 * not known are kept.
 *
 * @param magnitude greatest absolute value that is written
 */
export function displayUnit(magnitude: number, uom: string): DisplayUnit {
  const byte = Object.hasOwn(byteUnits, uom) ? byteUnits[uom] : undefined;
  if (byte !== undefined) {
    const bytes = magnitude * byte;
    const step = bytes === 0 ? 0 : Math.min(byteSteps.length - 1, Math.max(0, Math.floor(Math.log2(bytes) / 10)));
    return { divisor: 1024 ** step / byte, symbol: byteSteps[step] ?? "B" };
  }
  const second = Object.hasOwn(secondUnits, uom) ? secondUnits[uom] : undefined;
  if (second !== undefined) {
    const seconds = magnitude * second;
    if (seconds === 0 || seconds >= 1)
      return { divisor: seconds === 0 ? 1 : 1 / second, symbol: seconds === 0 ? uom : "s" };
    return seconds >= 0.001 ? { divisor: 0.001 / second, symbol: "ms" } : { divisor: 0.000_001 / second, symbol: "µs" };
  }
  return { divisor: 1, symbol: uom === "c" ? "" : uom };
}

/** Number in a display unit, without the symbol: `1.5`. */
export const formatIn = (value: number, { divisor }: DisplayUnit): string => digits(value / divisor);

/** Number followed by the symbol of its unit, if it has one. */
export const withSymbol = (number: string, { symbol }: DisplayUnit): string =>
  symbol === "" ? number : `${number} ${symbol}`;

/** Range of a threshold in a display unit, in the notation of plugins: `10:20` of milliseconds in seconds `0.01:0.02`. */
export const formatThresholdIn = (range: string, unit: DisplayUnit): string =>
  range.replaceAll(/[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/g, (number) => formatIn(Number(number), unit));

function digits(value: number): string {
  const rounded = Number(value.toPrecision(Math.abs(value) >= 1_000 ? 12 : 4));
  return String(Number.isInteger(rounded) ? rounded : Number(rounded.toPrecision(4)));
}
