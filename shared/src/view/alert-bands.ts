import { parseThreshold } from "../text/plugin/threshold.ts";

/** Range of values that alerts; its ends may be infinite. */
export type AlertBand = { readonly from: number; readonly to: number };

/** Ranges of values that violate a threshold of a plugin; empty for an empty text and for one that is not a range. */
export function alertBands(text: string): readonly AlertBand[] {
  const threshold = parseThreshold(text);
  if (!threshold.ok) return [];
  const [from, to] = [Number(threshold.value.start), Number(threshold.value.end)];
  if (threshold.value.alertInside) return [{ from, to }];
  const outside = [
    { from: Number.NEGATIVE_INFINITY, to: from },
    { from: to, to: Number.POSITIVE_INFINITY },
  ];
  return outside.filter((band) => band.from < band.to);
}
