/** Decimal values as whole numbers: each is the value times ten to the power of `exponent`, which may be negative. */
export type ScaledColumn = { readonly exponent: number; readonly values: readonly number[] };

const powers = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);
const powerOf = (exponent: number): number => powers[exponent] as number;
/** Greatest number of decimals of a value. */
const maxExponent = 18;

/** Value of a whole number of a scaled column. */
export const unscale = (whole: number, exponent: number): number =>
  exponent < 0 ? whole * powerOf(-exponent) : whole / powerOf(exponent);

/** Least exponent with which a value is exact; undefined when no exponent makes it exact. */
function exponentOf(value: number, least: number): number | undefined {
  for (let exponent = least; exponent <= maxExponent; exponent += 1) {
    const whole = Math.round(value * powerOf(exponent));
    if (!Number.isSafeInteger(whole)) return undefined;
    if (whole / powerOf(exponent) === value) return exponent;
  }
  return undefined;
}

/** Number of zeros at the end of all values, which are whole numbers. */
function commonZeros(values: readonly number[]): number {
  let zeros = 15;
  for (const value of values) while (zeros > 0 && value % powerOf(zeros) !== 0) zeros -= 1;
  return values.every((value) => value === 0) ? 0 : zeros;
}

/** Values as whole numbers with one exponent; undefined when they have too many digits, or are not finite. */
export function scaledColumn(values: readonly number[]): ScaledColumn | undefined {
  let exponent = 0;
  for (const value of values) {
    if (Object.is(value, -0)) return undefined;
    const needed = exponentOf(value, exponent);
    if (needed === undefined) return undefined;
    exponent = needed;
  }
  if (exponent === 0) exponent = -commonZeros(values);
  const scaled = values.map((value) =>
    Math.round(exponent < 0 ? value / powerOf(-exponent) : value * powerOf(exponent)),
  );
  const isExact = scaled.every((whole, at) => Number.isSafeInteger(whole) && unscale(whole, exponent) === values[at]);
  // Differences have to be exact too.
  const isSmall = scaled.every((whole) => Math.abs(whole) < 2 ** 51);
  return isExact && isSmall ? { exponent, values: scaled } : undefined;
}

/** Values shortened to a number of significant digits. */
export const fewerDigits = (values: readonly number[], digits: number): number[] =>
  values.map((value) => {
    const short = Number(value.toPrecision(digits));
    return Number.isFinite(short) ? short : value;
  });

/** Bytes of floating-point values, each combined with the one before, first bytes of all values first. */
export function floatColumn(values: readonly number[]): Uint8Array {
  const planes = new Uint8Array(values.length * 8);
  const view = new DataView(new ArrayBuffer(8));
  const previous = new Uint8Array(8);
  values.forEach((value, at) => {
    view.setFloat64(0, value);
    for (let byte = 0; byte < 8; byte += 1) {
      const current = view.getUint8(byte);
      planes[byte * values.length + at] = current ^ (previous[byte] as number);
      previous[byte] = current;
    }
  });
  return planes;
}
