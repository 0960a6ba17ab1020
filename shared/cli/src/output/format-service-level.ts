import { isLowEvidence } from "@realmwatch/shared/view/evidence";
import { truncateDecimals } from "@realmwatch/shared/view/truncate-decimals";
import type { Cell } from "./table.ts";

/** Percent with four decimals, rounded towards zero, so that a missed target never looks met. */
const formatPercent = (percent: number): string => `${truncateDecimals(percent, 4).toFixed(4)} %`;

/** Achieved percentage, red below the target. */
export function achievedCell({
  achieved,
  target,
}: {
  readonly achieved?: number | undefined;
  readonly target?: number | undefined;
}): Cell {
  if (achieved === undefined) return { text: "no evidence", colour: "yellow" };
  return { text: formatPercent(achieved), colour: achieved < (target ?? 0) ? "red" : "green" };
}

/** Evidence with two decimals; `low` marks one that is too small to rely on the figure. */
export function evidenceCell({ evidence }: { readonly evidence?: number | undefined }): string | Cell {
  if (evidence === undefined) return "";
  const text = `${truncateDecimals(evidence, 2).toFixed(2)} %`;
  return isLowEvidence(evidence) ? { text: `${text} low`, colour: "yellow" } : text;
}
