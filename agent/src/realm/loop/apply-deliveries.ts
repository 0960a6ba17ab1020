import type { CompletedDelivery, FailedAttempt, Notification } from "@realmwatch/shared/model/notification";
import { refOf } from "@realmwatch/shared/model/object-key";
import { isProblem } from "@realmwatch/shared/model/status";
import {
  type DeliveryKey,
  recordDeliveryEnd,
  recordFailedAttempt,
  recordFallback,
} from "../../engine/notify/deliveries/deliveries.ts";
import type { ObjectState } from "../../engine/state/object-state.ts";
import { fallbackNotification } from "../outputs/fallback-notification.ts";
import { problemId } from "../outputs/notification-id.ts";
import { deliveryHistoryEntry, fallbackHistoryEntry, possibleDuplicateMark } from "../outputs/outcome-entries.ts";
import type { RealmState } from "../state/realm-state.ts";
import { markChanged, type RoundChanges } from "./round-changes.ts";

/** Report of the delivery to the realm loop. */
export type DeliveryReport = {
  readonly ended?: readonly CompletedDelivery[];
  readonly failedAttempts?: readonly FailedAttempt[];
  /** Notifications that were not delivered within the `fallback_after` of their contact. */
  readonly overdue?: readonly Notification[];
};

type Targets = { readonly realm: RealmState; readonly changes: RoundChanges; readonly nowMs: number };

/** Applies reports of the delivery to the realm and adds what they changed to the round. */
export function applyDeliveryReport(
  { ended = [], failedAttempts = [], overdue = [] }: DeliveryReport,
  targets: Targets,
): void {
  for (const attempt of failedAttempts) applyFailedAttempt(attempt, targets);
  for (const notification of overdue) fallBack(notification, { stillPending: true, ...targets });
  for (const end of ended) applyEnd(end, targets);
}

function applyFailedAttempt(attempt: FailedAttempt, { realm, changes, nowMs }: Targets): void {
  const { notification, detail } = attempt;
  const begins = realm.contactDeliveries.attemptFailed(attempt, nowMs);
  noteContactChange(changes, begins);
  changeState(notification, { realm, changes }, (state) =>
    recordFailedAttempt(state, keyOf(notification), {
      error: detail,
      atMs: nowMs,
      ...possibleDuplicateMark(notification),
    }),
  );
}

function applyEnd(end: CompletedDelivery, targets: Targets): void {
  const { realm, changes, nowMs } = targets;
  const { notification } = end;
  changes.delivered.push(notification.id);
  changes.history.push(deliveryHistoryEntry(end, nowMs));
  noteContactChange(changes, realm.contactDeliveries.ended(end, nowMs));
  const { notification: _, ...outcome } = end;
  changeState(notification, targets, (state) =>
    recordDeliveryEnd(state, keyOf(notification), { ...outcome, atMs: nowMs, ...possibleDuplicateMark(notification) }),
  );
  // A message that is given up need not wait for `fallback_after`.
  if (end.outcome === "failed") fallBack(notification, { stillPending: false, ...targets });
}

/**
 * [DL22] Notifies the fallback of a contact, once for each notification: the mark is durable together with the
 * notification of the fallback. A fallback that the same decision notifies anyway, or that is switched off or outside
 * its period, is not notified.
 */
function fallBack(failed: Notification, { stillPending, ...targets }: Targets & { stillPending: boolean }): void {
  const { realm, changes, nowMs } = targets;
  const to = realm.plan.contacts.get(failed.contact)?.fallback?.contact;
  if (to === undefined || failed.fallbackUsed === true) return;
  if (stillPending) changes.rewritten.push({ ...failed, fallbackUsed: true });
  if (failed.fallbacksNotified?.includes(to) === true) return;
  const suppressed = realm.contactSuppression(to, nowMs);
  changes.history.push(fallbackHistoryEntry(failed, { to, suppressed, atMs: nowMs }));
  if (suppressed !== undefined) return;
  const notification = fallbackNotification(failed, { to, atMs: nowMs });
  changes.notifications.push(notification);
  const { kind, level, decisionId } = failed;
  changeState(failed, targets, (state) =>
    recordFallback(state, {
      ...{ contacts: [to], kind, level, decisionId, atMs: nowMs },
      problemStatus: openProblemStatus(failed, state, realm),
    }),
  );
}

/** Status of the problem that a notification announced, while that problem is open; else undefined. */
function openProblemStatus({ key, kind, status, problemId: id }: Notification, state: ObjectState, realm: RealmState) {
  const counters = state.notificationState?.counters;
  if ((kind !== "PROBLEM" && kind !== "STATUS_CHANGE") || counters === undefined || !isProblem(status))
    return undefined;
  const { sinceMs, problems: number } = counters;
  return problemId({ realm: realm.name, ref: refOf(key), sinceMs, number }) === id ? status : undefined;
}

const keyOf = ({ contact, decisionId }: Notification): DeliveryKey => ({ contact, decisionId });

function noteContactChange(changes: RoundChanges, isUrgent: boolean): void {
  changes.contactsChanged = true;
  if (isUrgent) changes.programChanged = true;
}

/** Changes an object's state. An object that was removed has none. */
function changeState(
  { key }: Notification,
  { realm, changes }: Pick<Targets, "realm" | "changes">,
  change: (state: ObjectState) => ObjectState,
): void {
  const record = realm.records.get(refOf(key));
  if (record === undefined) return;
  const state = change(record.state);
  if (state === record.state) return;
  // Repeated attempts change a number only; everything else has to survive a crash.
  const isRepeated = deliveryStatesOf(state) === deliveryStatesOf(record.state);
  record.state = state;
  markChanged(changes, record.plan.ref, isRepeated ? "background" : "immediate");
}

const deliveryStatesOf = ({ notificationState }: ObjectState): string =>
  (notificationState?.deliveries ?? []).map(({ contact, state }) => `${state} ${contact}`).join("\n");
