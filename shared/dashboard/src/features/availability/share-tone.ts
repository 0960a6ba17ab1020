import { isLowEvidence } from "@realmwatch/shared/view/evidence";

type ShownShare = {
  /** Share of the known time that was OK, 0 to 1. */
  readonly okShare: number;
  /** Share of the range that is known, 0 to 1. */
  readonly evidence: number;
  /** True when the realm is current, so that its rows are those of now. */
  readonly isCurrent: boolean;
};

/** [DB94] Colour of a share of time; undefined where it is not known for nearly all of the range, up to now. */
export function shareTone({ okShare, evidence, isCurrent }: ShownShare): "bad" | "fair" | "good" | undefined {
  if (!isCurrent || isLowEvidence(evidence * 100)) return undefined;
  return okShare < 0.9 ? "bad" : okShare < 0.999 ? "fair" : "good";
}
