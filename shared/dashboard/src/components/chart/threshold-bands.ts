/** Range of values that alerts; its ends may be infinite. */
export type AlertBand = { readonly from: number; readonly to: number };

const numberText = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * Ranges of values that violate a threshold of the plugin format (`10`, `10:`, `~:10`, `10:20`, `@10:20`); empty for an
 * empty text and for one that is no range.
 */
export function alertBands(text: string): readonly AlertBand[] {
  const isInside = text.trimStart().startsWith("@");
  const parts = text
    .trim()
    .slice(isInside ? 1 : 0)
    .split(":")
    .map((part) => part.trim());
  const [first = "", second] = parts;
  if (parts.length > 2 || (first === "" && !second)) return [];
  const from = second === undefined || first === "" ? 0 : first === "~" ? Number.NEGATIVE_INFINITY : numberOf(first);
  const last = second ?? first;
  const to = last === "" ? Number.POSITIVE_INFINITY : numberOf(last);
  if (Number.isNaN(from) || Number.isNaN(to) || from > to) return [];
  if (isInside) return [{ from, to }];
  return [
    { from: Number.NEGATIVE_INFINITY, to: from },
    { from: to, to: Number.POSITIVE_INFINITY },
  ].filter((band) => band.from < band.to);
}

const numberOf = (text: string): number => (numberText.test(text) ? Number(text) : Number.NaN);
