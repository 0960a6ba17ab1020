/** Base unit of a plugin's unit. A value in the plugin's unit times `factor` is the value in the base unit. */
export type BaseUnit = {
  /** Name in plural such as `seconds`; empty without a unit; the plugin's own text when the unit is unknown. */
  readonly name: string;
  readonly factor: number;
  /** True for `c`: the value only grows, except when it restarts. */
  readonly isCounter: boolean;
};

const times: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  μs: 1e-6,
  ms: 1e-3,
  s: 1,
  sec: 1,
  m: 60,
  min: 60,
  h: 3_600,
  d: 86_400,
};

const decimal: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  µ: 1e-6,
  μ: 1e-6,
  m: 1e-3,
  "": 1,
  k: 1e3,
  K: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Z: 1e21,
  Y: 1e24,
};

const physical: Readonly<Record<string, string>> = { A: "amperes", V: "volts", W: "watts", Hz: "hertz" };
const fixed: Readonly<Record<string, string>> = {
  "%": "percent",
  C: "celsius",
  "°C": "celsius",
  F: "fahrenheit",
  "°F": "fahrenheit",
};

/**
 * Base unit of a plugin's unit. Upper and lower case differ: `B` is bytes and `b` bits, `c` a counter and `C` degrees.
 * `KB` is 1000 bytes and `KiB` 1024. An unknown unit is its own base unit.
 */
export function baseUnitOf(uom: string): BaseUnit {
  if (uom === "c") return { name: "", factor: 1, isCounter: true };
  if (uom === "") return unit("", 1);
  if (Object.hasOwn(times, uom)) return unit("seconds", times[uom] as number);
  if (Object.hasOwn(fixed, uom)) return unit(fixed[uom] as string, 1);
  const [, size = "", binary, letter] = /^([kKMGTPEZY]?)(i?)([Bb])$/.exec(uom) ?? [];
  if (letter !== undefined && !(binary === "i" && size === ""))
    return unit(letter === "B" ? "bytes" : "bits", binary === "i" ? binaryFactor(size) : (decimal[size] as number));
  const [, prefix = "", symbol = ""] = /^([nuµμmkKMGT]?)(A|V|W|Hz)$/.exec(uom) ?? [];
  if (symbol !== "") return unit(physical[symbol] as string, decimal[prefix] as number);
  return unit(uom, 1);
}

/** Value in the base unit, without the rounding error of a multiplication with a fraction. */
export const scaleToBase = (value: number, factor: number): number =>
  factor < 1 ? value / Math.round(1 / factor) : value * factor;

const unit = (name: string, factor: number): BaseUnit => ({ name, factor, isCounter: false });

const binaryFactor = (size: string): number => 1_024 ** ("KMGTPEZY".indexOf(size.toUpperCase()) + 1);
