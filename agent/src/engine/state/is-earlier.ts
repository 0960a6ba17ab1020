/**
 * [RE6] Which of two instants came first, both Unix ms. One that lies in the future is from before the wall clock was set
 * back, and so came before any that does not.
 */
export function isEarlier(aMs: number, bMs: number, nowMs: number): boolean {
  const [aIsAhead, bIsAhead] = [aMs > nowMs, bMs > nowMs];
  return aIsAhead === bIsAhead ? aMs < bMs : aIsAhead;
}
