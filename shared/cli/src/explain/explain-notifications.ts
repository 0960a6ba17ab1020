import type { Because } from "@realmwatch/proto/svc/v1/common_pb";
import {
  DeliveryState,
  type NotificationDelivery,
  type NotificationProgress,
  type StatusRow,
} from "@realmwatch/proto/svc/v1/query_pb";
import type { ProgramToggles } from "@realmwatch/shared/model/toggles";
import {
  type DecisionPhase,
  decisionPhase,
  hasDecided,
  isOfEarlierProblem,
  isWaitingReason,
} from "@realmwatch/shared/view/notification-decision";
import { counted } from "@realmwatch/shared/view/plural";
import { hasProblem } from "@realmwatch/shared/view/row-status";
import { notificationKindCodec } from "@realmwatch/shared/wire/fields/enums";
import { atMsOf, formatAge, formatLocalTime, waitingText } from "../output/format-object.ts";
import type { Screen } from "../output/table.ts";
import { explainReason } from "./explain-reason.ts";
import { remedyFor } from "./explain-remedy.ts";

type Explained = { readonly row: StatusRow; readonly program: ProgramToggles | undefined; readonly screen: Screen };

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
    ...deliverySentences(notification, screen, (delivery) => isOfEarlierProblem(delivery, notification)),
    ...waitingSentences(notification, screen),
    ...decisionSentences(explained, notification),
    ...nextSentences(explained, notification),
  ];
}

function waitingSentences({ waitingFor }: NotificationProgress, screen: Screen): readonly string[] {
  const text = waitingText(waitingFor, screen);
  return text === ""
    ? []
    : [`A notification waits: ${text}. It is tried again until the contact takes it or it is given up.`];
}

const noProblemText = "The object has no problem, so there is nothing to notify.";

function wellSentences(explained: Explained, { because }: NotificationProgress): readonly string[] {
  const { screen } = explained;
  if (because === undefined || phaseOf(because, explained) === undefined) return [noProblemText];
  const remedy = remedyFor(because.reason);
  const change =
    isWaitingReason(because.reason) && remedy !== undefined ? [`For a notification: ${remedy.change}.`] : [];
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
  { contact, kind, state, since, attempts, error, possibleDuplicate }: NotificationDelivery,
  screen: Screen,
): string {
  const what = notificationKindCodec.fromProto(kind) ?? "notification";
  const time = `${formatLocalTime(since, screen)} (${formatAge(since, screen)} ago)`;
  const isOver = state === DeliveryState.DELIVERED || state === DeliveryState.GAVE_UP;
  const tried = attempts === 0 || state === DeliveryState.DELIVERED ? "" : `, ${counted(attempts, "attempt")}`;
  const repeated = possibleDuplicate ? ", a possible duplicate" : "";
  const why = error === "" || state === DeliveryState.DELIVERED ? "" : `: ${error}`;
  return `${what} to ${contact}: ${stateTexts[state] ?? "in an unknown state"} ${isOver ? "at" : "since"} ${time}${tried}${repeated}${why}`;
}

function progressSentences(progress: NotificationProgress, screen: Screen): readonly string[] {
  const { level, sentAtLevel, last, because } = progress;
  if (because?.reason === "no_policy" && !hasDecided(progress)) return [];
  if (!hasDecided(progress)) return [`Escalation level ${level}: no notification of this problem decided yet.`];
  const decided = sentAtLevel === 0 ? "no notification" : counted(sentAtLevel, "notification");
  const lastText =
    last === undefined ? "" : `; last at ${formatLocalTime(last, screen)} (${formatAge(last, screen)} ago)`;
  return [`Escalation level ${level}: ${decided} decided at this level${lastText}.`];
}

function decisionSentences(explained: Explained, { because }: NotificationProgress): readonly string[] {
  const { row, screen } = explained;
  const phase = phaseOf(because, explained);
  if (because === undefined || phase === undefined) return [];
  const text = explainReason(because, screen, phase === "past" ? undefined : row);
  const remedy = remedyFor(because.reason, row);
  if (phase === "when_due")
    return [`Suppressed when it was due: ${text}${ruleText(because)}.`, `For the next one: ${remedy?.change}.`];
  if (phase === "past")
    return [
      `The notification that was due last was suppressed: ${text}${ruleText(because)}. That does not apply any more.`,
    ];
  if (remedy === undefined) return [`Suppressed: ${text}.`];
  return [`Suppressed: ${text} (rule ${remedy.rule}).`, `For a notification: ${remedy.change}.`];
}

/** Relation of the last decision to the present state. */
const phaseOf = (because: Because | undefined, { row, program, screen }: Explained): DecisionPhase =>
  decisionPhase(because, { row, realmNotifications: program?.notifications, nowMs: screen.nowMs });

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
  if (phaseOf(because, explained) === "present") return [];
  if (!hasDecided(progress) && because?.reason !== "kind_disabled" && because?.reason !== "status_not_selected")
    return [];
  return [
    "No further notification is scheduled: the escalation level does not repeat them (rule NO7).",
    "For another one: the status has to change, the problem to end, or the configuration to set `renotify_interval`.",
  ];
}

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
