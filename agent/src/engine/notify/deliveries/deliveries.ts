import type { CompletedDelivery, NotificationKind } from "@realmwatch/shared/model/notification";
import type { ProblemStatus } from "@realmwatch/shared/model/status";
import type { ObjectState } from "../../state/object-state.ts";
import { type DeliveryRecord, type NotificationState, openProblemOf } from "../notification-state.ts";

/** Decision to notify `contacts`. `atMs`: time of the decision, Unix ms. */
type DecidedNotification = {
  readonly contacts: readonly string[];
  readonly kind: NotificationKind;
  readonly decisionId: string;
  readonly atMs: number;
};

/** Maximum number of earlier deliveries that are kept while they are pending. */
const maxPendingKept = 100;
/** Length at which the error of a delivery is cut, characters. */
const maxErrorLength = 300;

const isPending = ({ state }: DeliveryRecord): boolean => state === "queued" || state === "failing";

/** [NO23] Adds the deliveries of a decision. Of earlier ones, those to other contacts stay while they are pending. */
export function queueDeliveries(
  before: readonly DeliveryRecord[],
  { contacts, kind, decisionId, atMs }: DecidedNotification,
): readonly DeliveryRecord[] {
  const isKept = (delivery: DeliveryRecord): boolean => {
    const isOfSameDecision = delivery.decisionId === decisionId;
    return (isOfSameDecision || isPending(delivery)) && !contacts.includes(delivery.contact);
  };
  const added = contacts.map(
    (contact): DeliveryRecord => ({
      contact,
      kind,
      state: "queued",
      sinceMs: atMs,
      attempts: 0,
      error: "",
      decisionId,
    }),
  );
  return [...before.filter(isKept).slice(-maxPendingKept), ...added];
}

/** Identifies one delivery of an object. */
export type DeliveryKey = { readonly contact: string; readonly decisionId: string };

/** Mark of a delivery that its contact may have got before; empty for others. */
type DuplicateMark = { readonly possibleDuplicate?: true };

type DeliveryEnd = Omit<CompletedDelivery, "notification"> & DuplicateMark & { readonly atMs: number };

/** Records a failed attempt that another one follows. A delivery that is no longer known changes nothing. */
export const recordFailedAttempt = (
  state: ObjectState,
  key: DeliveryKey,
  { error, atMs, ...mark }: DuplicateMark & { readonly error: string; readonly atMs: number },
): ObjectState =>
  changeDelivery(state, key, (delivery) => ({
    ...delivery,
    state: "failing",
    sinceMs: delivery.state === "failing" ? delivery.sinceMs : atMs,
    attempts: delivery.attempts + 1,
    error: error.slice(0, maxErrorLength),
    ...mark,
  }));

/** Records the end of a delivery. A cancelled one is forgotten, because it leaves nothing to deliver. */
export const recordDeliveryEnd = (
  state: ObjectState,
  key: DeliveryKey,
  { outcome, detail, attempted, atMs, ...mark }: DeliveryEnd,
): ObjectState =>
  changeDelivery(state, key, (delivery) =>
    outcome === "cancelled"
      ? undefined
      : {
          ...delivery,
          state: outcome === "delivered" ? "delivered" : "gave_up",
          sinceMs: atMs,
          attempts: delivery.attempts + (attempted ? 1 : 0),
          error: outcome === "delivered" ? delivery.error : detail.slice(0, maxErrorLength),
          ...mark,
        },
  );

/** A notification that a fallback contact takes over. */
type FallbackNotification = DecidedNotification & {
  readonly level: number;
  /** Status of the open problem that the notification is about; undefined when it is not about one. */
  readonly problemStatus: ProblemStatus | undefined;
};

/** [DL23] Records the delivery to a fallback contact, which becomes due a recovery when it is notified of a problem. */
export function recordFallback(
  state: ObjectState,
  { level, problemStatus, ...decided }: FallbackNotification,
): ObjectState {
  const before = state.notificationState;
  if (before === undefined) return state;
  const queued: NotificationState = { ...before, deliveries: queueDeliveries(before.deliveries, decided) };
  const problem = openProblemOf(queued);
  if (problem === undefined || problemStatus === undefined) return { ...state, notificationState: queued };
  const notified = { ...problem.notified };
  for (const contact of decided.contacts) notified[contact] = { status: problemStatus, level };
  return { ...state, notificationState: { ...queued, problem: { ...problem, notified } } };
}

function changeDelivery(
  state: ObjectState,
  { contact, decisionId }: DeliveryKey,
  change: (delivery: DeliveryRecord) => DeliveryRecord | undefined,
): ObjectState {
  const { notificationState } = state;
  const isSame = (delivery: DeliveryRecord): boolean =>
    delivery.contact === contact && delivery.decisionId === decisionId;
  if (notificationState === undefined || !notificationState.deliveries.some(isSame)) return state;
  const deliveries = notificationState.deliveries.flatMap((delivery) =>
    isSame(delivery) ? (change(delivery) ?? []) : [delivery],
  );
  return { ...state, notificationState: { ...notificationState, deliveries } };
}
