/** Number with at most some decimals, rounded towards zero, so that a missed target never looks met. */
export function truncateDecimals(value: number, decimals: number): number {
  const scale = 10 ** decimals;
  // A floating-point number may be a little below the decimal that it stands for.
  return Math.trunc(value * scale + Math.sign(value) * 1e-6) / scale || 0;
}
