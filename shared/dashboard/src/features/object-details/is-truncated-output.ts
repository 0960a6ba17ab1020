/** Mark that the agent adds to the end of an output whose rest it dropped. */
const truncationMark = "…(truncated)";

/** True when the end of a check's output was dropped: its last text ends with the agent's mark. */
export const isTruncatedOutput = (output: string, longOutput: string): boolean =>
  (longOutput === "" ? output : longOutput).endsWith(truncationMark);
