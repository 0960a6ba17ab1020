import type { MissingRecords } from "../threads/journal-protocol.ts";

/** What was lost, for people. */
export function formatMissingRecords({ fromSeq, toSeq, lostCommands = 0, lostAudit = 0, logGone = false }: MissingRecords): string {
  const lost = [
    ...(toSeq < fromSeq ? [] : [`history records ${fromSeq} to ${toSeq}`]),
    ...(lostCommands > 0 ? [`${lostCommands} accepted commands`] : []),
    ...(lostAudit > 0 ? [`${lostAudit} audit records`] : []),
  ].join(" and ");
  const certain = `${lost} were lost with the journal's disk or by restoring an older copy`;
  if (!logGone) return certain;
  const possible = "what was newest may be lost: a write-ahead log in the data directory was deleted";
  return lost === "" ? possible : `${certain}; ${possible}`;
}

/** How many records and commands are known to be missing; 1 at least, since something gave reason to look. */
export const countMissingRecords = ({ fromSeq, toSeq, lostCommands = 0, lostAudit = 0 }: MissingRecords): number =>
  Math.max(1, toSeq - fromSeq + 1 + lostCommands + lostAudit);
