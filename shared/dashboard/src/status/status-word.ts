import { StateType, Status } from "@realmwatch/proto/svc/v1/common_pb";

export const statusWords = ["critical", "unreachable", "unknown", "warning", "pending", "ok"] as const;
/** A status in the configuration's lower-case words; listed loudest first. */
export type StatusWord = (typeof statusWords)[number];

const words: Readonly<Record<number, StatusWord>> = {
  [Status.OK]: "ok",
  [Status.WARNING]: "warning",
  [Status.CRITICAL]: "critical",
  [Status.UNKNOWN]: "unknown",
  [Status.PENDING]: "pending",
  [Status.UNREACHABLE]: "unreachable",
};

/** A status of a newer contract, or none, reads as unknown: never as well. */
export const wordOf = (status: Status): StatusWord => words[status] ?? "unknown";

export const isSoft = (type: StateType): boolean => type === StateType.SOFT;

export const isProblem = (word: StatusWord): boolean => word !== "ok" && word !== "pending";

/** How loud a status is, louder first; the same order as the server's `severity`. */
export const loudnessOf = (word: StatusWord): number => statusWords.length - statusWords.indexOf(word);
