/** Records that were stored once, or that a cursor has seen, and that the journal no longer has. */
export type MissingRecords = {
  readonly fromSeq: number;
  /** Less than `fromSeq` when no history is missing. */
  readonly toSeq: number;
  /** Number of missing accepted commands; absent for none. */
  readonly lostCommands?: number;
  /** Number of missing audit records; absent for none. */
  readonly lostAudit?: number;
  /** True when a deleted log held the newest notes of the journal's end, so that more records may be missing. */
  readonly logGone?: boolean;
};

/** Names the missing records; empty when none is known to be missing. */
export const nameMissingRecords = ({ fromSeq, toSeq, lostCommands = 0, lostAudit = 0 }: MissingRecords): string =>
  [
    ...(toSeq < fromSeq ? [] : [`history records ${fromSeq} to ${toSeq}`]),
    ...(lostCommands > 0 ? [`${lostCommands} accepted commands`] : []),
    ...(lostAudit > 0 ? [`${lostAudit} audit records`] : []),
  ].join(" and ");

/** Formats the loss as a sentence for people. */
export function formatMissingRecords(missing: MissingRecords): string {
  const lost = nameMissingRecords(missing);
  const certain = `${lost} were lost with the journal's disk or by restoring an older copy`;
  if (!missing.logGone) return certain;
  const possible = "the newest records may be lost: a write-ahead log in the data directory was deleted";
  return lost === "" ? possible : `${certain}; ${possible}`;
}

/** Number of records known to be missing; at least 1, because a loss was detected. */
export const countMissingRecords = ({ fromSeq, toSeq, lostCommands = 0, lostAudit = 0 }: MissingRecords): number =>
  Math.max(1, toSeq - fromSeq + 1 + lostCommands + lostAudit);
