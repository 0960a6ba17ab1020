import type { Because } from "@realmwatch/proto/svc/v1/common_pb";
import { NotificationKind, StateType } from "@realmwatch/proto/svc/v1/common_pb";
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
  if (notification === undefined)
    return [
      hasProblem(row)
        ? "No notification was decided as far as this server knows: the row has no notification state."
        : noProblemText,
    ];
  if (!hasProblem(row)) return [...wellSentences(explained, notification), ...deliverySentences(notification, screen)];
  return [
    ...progressSentences(notification, screen),
    ...deliverySentences(notification, screen, isOfEarlierProblem(notification)),
    ...decisionSentences(explained, notification),
    ...nextSentences(explained, notification),
  ];
}

const noProblemText = "The object has no problem, so there is nothing to notify.";

/** Reasons for which the end of a problem waits; after the others it is never notified. */
const waitingReasons: ReadonlySet<string> = new Set([
  "dependency",
  "flapping",
  "downtime",
  "policy_period",
  "contact_period",
]);

function wellSentences(explained: Explained, { because }: NotificationProgress): readonly string[] {
  const { screen } = explained;
  if (because === undefined || because.reason === "decided") return [noProblemText];
  if (waitingReasons.has(because.reason) && !stillApplies(because, explained)) return [noProblemText];
  const remedy = remedyFor(because.reason);
  const change =
    waitingReasons.has(because.reason) && remedy !== undefined ? [`For a notification: ${remedy.change}.`] : [];
  return [
    noProblemText,
    `About the end of its last problem: ${explainReason(because, screen)}${ruleText(because)}.`,
    ...change,
  ];
}

const stateTexts: Readonly<Record<number, string>> = {
  [DeliveryState.QUEUED]: "queued",
  [DeliveryState.DELIVERED]: "delivered",
  [DeliveryState.FAILING]: "not delivered, failing",
  [DeliveryState.GAVE_UP]: "not delivered, given up",
};

/** True when a notification of the present problem was decided. Levels advance by notifications only. */
const hasDecided = ({ level, sentAtLevel }: NotificationProgress): boolean => level > 0 || sentAtLevel > 0;

/** Kinds that a problem begins, changes and ends with. */
const stateKinds: ReadonlySet<NotificationKind> = new Set([
  NotificationKind.PROBLEM,
  NotificationKind.STATUS_CHANGE,
  NotificationKind.RECOVERY,
]);

/**
 * Tells deliveries about an earlier problem from those about the present one: a row has its latest deliveries, and
 * without this distinction a problem that no contact was notified of would show the delivery of the last one.
 */
const isOfEarlierProblem =
  (progress: NotificationProgress) =>
  ({ kind }: NotificationDelivery): boolean =>
    kind === NotificationKind.RECOVERY || (stateKinds.has(kind) && !hasDecided(progress));

function deliverySentences(
  { deliveries }: NotificationProgress,
  screen: Screen,
  isEarlier: (delivery: NotificationDelivery) => boolean = () => false,
): readonly string[] {
  return deliveries.map((delivery) => {
    const sentence = deliverySentence(delivery, screen);
    return isEarlier(delivery) ? `About an earlier problem: ${sentence}` : sentence;
  });
}

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

function progressSentences(progress: NotificationProgress, screen: Screen): readonly string[] {
  const { level, sentAtLevel, last, because } = progress;
  if (because?.reason === "no_policy" && !hasDecided(progress)) return [];
  if (!hasDecided(progress)) return [`Escalation level ${level}: no notification of this problem decided yet.`];
  const decided = sentAtLevel === 0 ? "no notification" : countOf(sentAtLevel, "notification");
  const lastText =
    last === undefined ? "" : `; last at ${formatLocalTime(last, screen)} (${formatAge(last, screen)} ago)`;
  return [`Escalation level ${level}: ${decided} decided at this level${lastText}.`];
}

function decisionSentences({ row, program, screen }: Explained, { because }: NotificationProgress): readonly string[] {
  if (because === undefined || because.reason === "decided") return [];
  const applies = stillApplies(because, { row, program, screen });
  const text = explainReason(because, screen, applies ? row : undefined);
  const remedy = remedyFor(because.reason, row);
  if (because.reason === "kind_disabled")
    return [`Suppressed when it was due: ${text}${ruleText(because)}.`, `For the next one: ${remedy?.change}.`];
  if (!applies)
    return [
      `The notification that was due last was suppressed: ${text}${ruleText(because)}. That does not apply any more.`,
    ];
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
    // A problem waits for the next result after flapping has ended; an object that is well does not.
    case "flapping":
      return row.flapping === true || hasProblem(row);
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
function nextSentences(explained: Explained, progress: NotificationProgress): readonly string[] {
  const { screen } = explained;
  const { next, because } = progress;
  if (next !== undefined) {
    const time = formatLocalTime(next, screen);
    if ((atMsOf(next) ?? 0) <= screen.nowMs) return [`Next notification: suppressed since ${time}.`];
    const condition = presentSuppression(explained) ?? "unless suppressed (rule NO7)";
    return [`Next notification: ${time}, ${condition}.`];
  }
  if (isPending(explained, progress)) return [];
  if (!hasDecided(progress) && because?.reason !== "kind_disabled") return [];
  return [
    "No further notification is scheduled: the escalation level does not repeat them (rule NO7).",
    "For another one: the status has to change, the problem to end, or the configuration to set `renotify_interval`.",
  ];
}

/** True when a notification waits for the end of the reason that suppresses it. */
const isPending = (explained: Explained, { because }: NotificationProgress): boolean =>
  because !== undefined &&
  because.reason !== "decided" &&
  because.reason !== "kind_disabled" &&
  stillApplies(because, explained);

/** Condition under which the next notification will be suppressed, in the order of the filters; undefined for none. */
function presentSuppression({ row, program }: Explained): string | undefined {
  if (program?.notifications === false)
    return "but suppressed while notifications are disabled for the whole realm (rule NO20)";
  if (row.notificationsEnabled === false)
    return "but suppressed while notifications are disabled for the object (rule NO20)";
  if (row.acknowledgement !== undefined) return "but suppressed while the problem is acknowledged (rule NO17)";
  if (row.flapping === true) return "but suppressed while the object is flapping (rule NO16)";
  return row.inDowntime === true ? "but suppressed while it is in downtime (rule NO18)" : undefined;
}

const ruleText = ({ reason }: Because): string => {
  const remedy = remedyFor(reason);
  return remedy === undefined ? "" : ` (rule ${remedy.rule})`;
};

const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
