/** Extent of values on an axis; `from` is below `to`. */
export type Extent = { readonly from: number; readonly to: number };

/** Round steps of an axis within one power of ten. */
const roundSteps = [1, 2, 2.5, 5, 10];

/** Round values that divide an extent into about `count` parts. All lie within the extent. */
export function axisTicks({ from, to }: Extent, count: number): readonly number[] {
  const step = roundStep((to - from) / count);
  const ticks: number[] = [];
  for (let at = Math.ceil(from / step - 1e-9); at * step <= to + step * 1e-9; at += 1) ticks.push(clean(at * step));
  return ticks;
}

/** Smallest round step of at least a size. */
function roundStep(size: number): number {
  const power = 10 ** Math.floor(Math.log10(size));
  return (roundSteps.find((step) => step * power >= size * (1 - 1e-9)) ?? 10) * power;
}

/** Removes the rounding error of a multiplication: 0.30000000000000004 becomes 0.3. */
const clean = (value: number): number => Number(value.toPrecision(12));

/**
 * Extent of a value axis: contains all values and zero where they are close to it, with some room above and below, so
 * that a constant line is in the middle.
 */
function valueExtent(values: readonly number[]): Extent {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high) return { from: 0, to: 1 };
  const size = Math.max(Math.abs(low), Math.abs(high));
  // Differences below the precision of the labels are noise.
  const span = high - low > Math.max(size * 1e-6, 1e-12) ? high - low : size > 1e-12 ? size : 1;
  const isNearZero = low >= 0 && low < span;
  return { from: isNearZero ? 0 : low - span * 0.08, to: high + span * 0.08 };
}

/** [DB95] Extent of a value axis that contains all values, and those ends of alerting ranges that are near them. */
export function plotExtent(values: readonly number[], ends: readonly number[]): Extent {
  const plain = valueExtent(values);
  const span = plain.to - plain.from;
  const near = ends.filter((end) => end > plain.from - span && end < plain.to + span);
  return near.length === 0 ? plain : valueExtent([...values, ...near]);
}

const minuteMs = 60_000;
/** Steps of a time axis, ms. */
const timeSteps = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1_440, 2_880, 7_200, 14_400].map((at) => at * minuteMs);

/**
 * Round times that divide a range into at most `count` parts.
 *
 * @param offsetMs distance of the displayed zone from UTC, ms
 */
export function timeTicks({ from, to }: Extent, count: number, offsetMs: number): readonly number[] {
  const step = timeSteps.find((size) => (to - from) / size <= count) ?? (to - from) / count;
  const ticks: number[] = [];
  for (let at = Math.ceil((from + offsetMs) / step) * step; at <= to + offsetMs; at += step) ticks.push(at - offsetMs);
  return ticks;
}
