import { createHash } from "node:crypto";
import type { Notification, NotificationKind } from "@realmwatch/shared/model/notification";
import { refOf } from "@realmwatch/shared/model/object-key";
import { formatPerfdata } from "@realmwatch/shared/text/plugin/format-perfdata";
import type { MessageOrigin } from "../contact-message.ts";
import { lastGoodState, possibleDuplicateText, statusSince, statusText } from "./notification-text.ts";
import { sanitiseLine, sanitiseText, truncate } from "./sanitise-text.ts";

/** Longest text of an alert, characters; the services accept events of up to 512 KB. */
export const maxAlertText = 32_768;

/** Subject of an alert in a service that stores alerts; `message` for notifications about neither of the others. */
type AlertSubject = "problem" | "flapping" | "message";

/** Effect of a notification on its alert. `record`: it is stored and must not page. */
type AlertStep = {
  readonly subject: AlertSubject;
  readonly step: "trigger" | "acknowledge" | "resolve" | "record";
};

export const alertSteps: Readonly<Record<NotificationKind, AlertStep>> = {
  PROBLEM: { subject: "problem", step: "trigger" },
  STATUS_CHANGE: { subject: "problem", step: "trigger" },
  ACKNOWLEDGEMENT: { subject: "problem", step: "acknowledge" },
  RECOVERY: { subject: "problem", step: "resolve" },
  FLAPPING_START: { subject: "flapping", step: "trigger" },
  FLAPPING_STOP: { subject: "flapping", step: "resolve" },
  CUSTOM: { subject: "message", step: "trigger" },
  DOWNTIME_START: { subject: "message", step: "record" },
  DOWNTIME_END: { subject: "message", step: "record" },
  DOWNTIME_CANCELLED: { subject: "message", step: "record" },
};

/** Details that services show as fields of an alert. */
export function alertDetails(notification: Notification, { realm }: MessageOrigin): Record<string, unknown> {
  const { kind, status, previousStatus, number, level, author, comment, labels } = notification;
  return {
    realm,
    kind,
    status: statusText(status),
    previous_status: statusText(previousStatus),
    since: statusSince(notification),
    ...lastGoodState(notification),
    number,
    level,
    perfdata: truncate(formatPerfdata(notification.perfdata), maxAlertText),
    ...(author === "" ? {} : { author: sanitiseLine(author, 200) }),
    ...(comment === "" ? {} : { comment: sanitiseText(comment, maxAlertText) }),
    labels,
    ...(notification.possibleDuplicate ? { possible_duplicate: possibleDuplicateText } : {}),
  };
}

/**
 * [DL10] Deduplication key of an alert, at most 80 characters: one for a problem and its recovery, one for the flapping
 * of an object, one for each notification about neither.
 */
export function alertKey(
  subject: AlertSubject,
  { id, key, problemId }: Notification,
  { realm }: MessageOrigin,
): string {
  const parts = {
    problem: ["problem", realm, refOf(key), problemId],
    flapping: ["flapping", realm, refOf(key)],
    message: ["message", realm, id],
  }[subject];
  return `realmwatch-${subject}-${createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 40)}`;
}
