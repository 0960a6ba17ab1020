import type { Row } from "@realmwatch/shared/row/row";
import { formatTranscriptTime } from "./format-entry.ts";

/** Formats a row as lines of a transcript; fields with their usual values are left out. */
export function formatRow(row: Row, fromMs: number): string[] {
  const at = (ms: number): string => formatTranscriptTime(ms, fromMs);
  const { status, stateType, attempt, maxAttempts, notification, acknowledgement, downtimes, suppressedBy } = row;
  const because = notification?.because;
  return [
    `${status} ${stateType} ${attempt}/${maxAttempts}${row.handled ? ", handled" : ""}${row.flapping ? ", flapping" : ""}`,
    ...(notification === undefined
      ? []
      : [
          `level ${notification.level}, ${notification.sentAtLevel} sent at it` +
            (notification.nextAtMs === undefined ? "" : `, next at ${at(notification.nextAtMs)}`) +
            (because === undefined ? "" : `: ${because.reason}${because.name === "" ? "" : ` ${because.name}`}`),
        ]),
    ...(acknowledgement === undefined ? [] : [`acknowledged by ${acknowledgement.author}`]),
    ...downtimes.map(
      ({ id, startMs, endMs, inEffect }) =>
        `downtime ${id} ${at(startMs)} to ${at(endMs)}${inEffect ? ", in effect" : ""}`,
    ),
    ...(row.inDowntime && !downtimes.some(({ inEffect }) => inEffect) ? ["in its host's downtime"] : []),
    ...row.comments.map(({ author, text }) => `comment by ${author} "${text}"`),
    ...(suppressedBy.length === 0 ? [] : [`suppressed by ${suppressedBy.join(", ")}`]),
  ];
}
