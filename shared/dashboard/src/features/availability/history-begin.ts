import type { Span } from "./status-spans.ts";

/** Number of halvings of a range in the search for the beginning of the history. */
const steps = 10;

/**
 * [SL14] Time in a range from which the history of a realm has records, at most a thousandth of the range too late: its
 * beginning when history is older, its end when history is younger.
 *
 * @param hasOlder tells whether history has a record from before a time
 */
export async function historyBeginMs(
  hasOlder: (atMs: number) => Promise<boolean>,
  { fromMs, toMs }: Span,
): Promise<number> {
  if (await hasOlder(fromMs)) return fromMs;
  let [before, begun] = [fromMs, toMs];
  for (let step = 0; step < steps; step += 1) {
    const middle = Math.floor((before + begun) / 2);
    if (await hasOlder(middle)) begun = middle;
    else before = middle;
  }
  return begun;
}
