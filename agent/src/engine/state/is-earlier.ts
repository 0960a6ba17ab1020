/**
 * [RE6] True when `aMs` is earlier than `bMs`, both Unix ms. A time in the future was taken before the wall clock was
 * set back, so it is earlier than any time that is not in the future.
 */
export function isEarlier(aMs: number, bMs: number, nowMs: number): boolean {
  const [aIsAhead, bIsAhead] = [aMs > nowMs, bMs > nowMs];
  return aIsAhead === bIsAhead ? aMs < bMs : aIsAhead;
}
