import type { Because } from "@realmwatch/proto/svc/v1/common_pb";
import { StateType } from "@realmwatch/proto/svc/v1/common_pb";
import {
  DeliveryState,
  type NotificationDelivery,
  type NotificationProgress,
  type StatusRow,
} from "@realmwatch/proto/svc/v1/query_pb";
import { isProblem } from "@realmwatch/shared/model/status";
import type { ProgramToggles } from "@realmwatch/shared/model/toggles";
import { notificationKindCodec, statusCodec } from "@realmwatch/shared/wire/fields/enums";
import { atMsOf, formatAge, formatLocalTime } from "../output/format-object.ts";
import type { Screen } from "../output/table.ts";
import { explainReason } from "./explain-reason.ts";
import { remedyFor } from "./explain-remedy.ts";

type Explained = { readonly row: StatusRow; readonly program: ProgramToggles | undefined; readonly screen: Screen };

export const hasProblem = ({ status }: Pick<StatusRow, "status">): boolean => {
  const word = statusCodec.fromProto(status);
  return word !== undefined && isProblem(word);
};

/** Explains what was decided about the notifications of an object, and what became of them. */
export function explainNotifications(explained: Explained): readonly string[] {
  const { row, screen } = explained;
  const { notification } = row;
  const problem = hasProblem(row);
  if (notification === undefined)
    return [
      problem
        ? "No notification was decided as far as this server knows: the row has no notification state."
        : "The object has no problem, so there is nothing to notify.",
    ];
  const deliveries = notification.deliveries.map((delivery) => deliverySentence(delivery, screen));
  if (!problem) return [...wellSentences(explained, notification), ...deliveries];
  return [
    ...progressSentences(notification, screen),
    ...deliveries,
    ...decisionSentences(explained, notification),
    ...nextSentences(notification, screen),
  ];
}

function wellSentences({ screen }: Explained, { because, deliveries }: NotificationProgress): readonly string[] {
  const well = "The object has no problem, so there is nothing to notify.";
  if (because === undefined || because.reason === "decided" || deliveries.length > 0) return [well];
  return [well, `About the end of its last problem: ${explainReason(because, screen)}${ruleText(because)}.`];
}

const stateTexts: Readonly<Record<number, string>> = {
  [DeliveryState.QUEUED]: "queued",
  [DeliveryState.DELIVERED]: "delivered",
  [DeliveryState.FAILING]: "not delivered, failing",
  [DeliveryState.GAVE_UP]: "not delivered, given up",
};

/** `PROBLEM to ops: not delivered, failing since 2026-03-28 16:00:00 (60m), 12 attempts: connection refused`. */
function deliverySentence(
  { contact, kind, state, since, attempts, error }: NotificationDelivery,
  screen: Screen,
): string {
  const what = notificationKindCodec.fromProto(kind) ?? "notification";
  const time = `${formatLocalTime(since, screen)} (${formatAge(since, screen)} ago)`;
  const isOver = state === DeliveryState.DELIVERED || state === DeliveryState.GAVE_UP;
  const tried = attempts === 0 || state === DeliveryState.DELIVERED ? "" : `, ${countOf(attempts, "attempt")}`;
  const why = error === "" || state === DeliveryState.DELIVERED ? "" : `: ${error}`;
  return `${what} to ${contact}: ${stateTexts[state] ?? "in an unknown state"} ${isOver ? "at" : "since"} ${time}${tried}${why}`;
}

function progressSentences({ level, sentAtLevel, last }: NotificationProgress, screen: Screen): readonly string[] {
  if (sentAtLevel === 0 && last === undefined) return [`Escalation level ${level}: no notification decided yet.`];
  const decided = sentAtLevel === 0 ? "no notification" : countOf(sentAtLevel, "notification");
  const lastText =
    last === undefined ? "" : `; last at ${formatLocalTime(last, screen)} (${formatAge(last, screen)} ago)`;
  return [`Escalation level ${level}: ${decided} decided at this level${lastText}.`];
}

function decisionSentences({ row, program, screen }: Explained, { because }: NotificationProgress): readonly string[] {
  if (because === undefined || because.reason === "decided") return [];
  const text = explainReason(because, screen);
  if (!stillApplies(because, { row, program, screen }))
    return [`The notification that was due last was suppressed: ${text}. That does not apply any more.`];
  const remedy = remedyFor(because.reason);
  if (remedy === undefined) return [`Suppressed: ${text}.`];
  return [`Suppressed: ${text} (rule ${remedy.rule}).`, `For a notification: ${remedy.change}.`];
}

/** False when the object's present state shows that the reason is over. */
function stillApplies({ reason, until }: Because, { row, program, screen }: Explained): boolean {
  const untilMs = atMsOf(until);
  switch (reason) {
    case "acknowledged":
      return row.acknowledgement !== undefined;
    case "downtime":
      return row.inDowntime === true;
    case "object_off":
      return row.notificationsEnabled === false;
    case "program_off":
      return program === undefined || !program.notifications;
    case "soft":
      return row.stateType === StateType.SOFT;
    case "policy_period":
    case "level_period":
    case "contact_period":
    case "host_check_awaited":
      return untilMs === undefined || untilMs > screen.nowMs;
    default:
      return true;
  }
}

/** Says when the problem is notified again, or what would have to change for that. */
function nextSentences({ last, next, because }: NotificationProgress, screen: Screen): readonly string[] {
  if (next !== undefined)
    return [
      (atMsOf(next) ?? 0) > screen.nowMs
        ? `Next notification: ${formatLocalTime(next, screen)}, unless suppressed (rule NO7).`
        : `Next notification: suppressed since ${formatLocalTime(next, screen)}.`,
    ];
  if (last === undefined && because?.reason !== "decided") return [];
  return [
    "No further notification is scheduled: the escalation level does not repeat them (rule NO7).",
    "For another one: the status has to change, the problem to end, or the configuration to set `renotify_interval`.",
  ];
}

const ruleText = ({ reason }: Because): string => {
  const remedy = remedyFor(reason);
  return remedy === undefined ? "" : ` (rule ${remedy.rule})`;
};

const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
