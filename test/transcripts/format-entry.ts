import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { never } from "@realmwatch/shared/model/never";
import type { NotificationDecision } from "@realmwatch/shared/model/notification";
import { refOf } from "@realmwatch/shared/model/object-key";

const dayMs = 86_400_000;

/** `08:15:00`, with the day in front where it is not the first one: `+1d 08:15:00`. */
export function formatTranscriptTime(atMs: number, fromMs: number): string {
  const days = Math.floor(atMs / dayMs) - Math.floor(fromMs / dayMs);
  const time = new Date(atMs).toISOString().slice(11, 19);
  return days === 0 ? time : `+${days}d ${time}`;
}

/** Formats a history entry as a line of a transcript. */
export function formatHistoryEntry(entry: HistoryEntry, fromMs: number): string {
  const at = (ms: number): string => formatTranscriptTime(ms, fromMs);
  const about = entry.key === undefined ? "realm" : refOf(entry.key);
  return `${at(entry.atMs)} ${about}: ${describeEntry(entry, at)}`;
}

const by = ({ author = "", onBehalfOf = "", comment = "" }: HistoryEntry): string =>
  [
    author === "" ? "" : ` by ${author}`,
    onBehalfOf === "" ? "" : ` for ${onBehalfOf}`,
    comment === "" ? "" : ` "${comment}"`,
  ].join("");

const formatDecision = ({ reason, name, untilMs }: NotificationDecision, at: (ms: number) => string): string =>
  [reason, name === "" ? "" : ` ${name}`, untilMs === undefined ? "" : ` until ${at(untilMs)}`].join("");

function describeEntry(entry: HistoryEntry, at: (ms: number) => string): string {
  const { type, status, stateType, attempt, output = "", notificationKind, contact, level = 0, because } = entry;
  switch (type) {
    case "state":
      return status === undefined ? output : `${status} ${stateType} ${attempt}${output === "" ? "" : ` "${output}"`}`;
    case "notification":
      return `delivered to ${contact}: ${notificationKind}`;
    case "notification_queued":
      return `tells ${contact} ${notificationKind} ${status} at level ${level}${by(entry)}`;
    case "notification_failed":
      return `cannot tell ${contact} ${notificationKind}: ${output}`;
    case "notification_suppressed":
      return `${notificationKind} not told: ${because === undefined ? "" : formatDecision(because, at)}${by(entry)}`;
    case "flapping_start":
      return "flaps";
    case "flapping_stop":
      return "flaps no more";
    case "downtime_scheduled":
    case "downtime_start":
    case "downtime_end":
    case "downtime_cancelled":
      return `${type.replace("_", " ")} ${entry.downtimeId ?? ""}${by(entry)}`;
    case "acknowledged":
      return `acknowledged${by(entry)}${because === undefined ? "" : `, without effect: ${because.reason}`}`;
    case "acknowledgement_removed":
      return `acknowledgement removed${by(entry)}`;
    case "comment_added":
    case "comment_deleted":
    case "note":
      return `${type.replace("_", " ")}${by(entry)}`;
    case "toggle":
      return `${output}${by(entry)}`;
    case "handler":
    case "config":
    case "gap":
      return `${type} ${output}`;
    case "pair_takeover":
    case "pair_degraded":
    case "pair_recovered":
      return `${type.replace("_", " ")} ${entry.pair?.to}: ${entry.pair?.reason}`;
    default:
      return never(type);
  }
}
