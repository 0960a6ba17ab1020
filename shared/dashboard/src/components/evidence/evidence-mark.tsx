import { isLowEvidence } from "@realmwatch/shared/view/evidence";
import "./evidence-mark.css";

/** [SL13] Mark `41 % known` beside a figure that rests on less than 95 % of its range; empty for more. */
export function EvidenceMark({ percent }: { percent: number | undefined }) {
  if (percent === undefined || !isLowEvidence(percent)) return null;
  const shown = percent > 0 && percent < 0.1 ? "< 0.1" : String(Math.floor(percent * 10) / 10);
  return (
    <span
      className="evidence-mark"
      title="The figure covers only the known part of the range; for the rest there is no evidence"
    >
      {shown} % known
    </span>
  );
}
