import { configuredMacros } from "@realmwatch/shared/config/configured-macros";
import type { Notification } from "@realmwatch/shared/model/notification";
import { decisionIdOf, type PlannedNotification } from "../../engine/notify/notification-planner.ts";
import { attemptOf, maxAttemptsOf } from "../../engine/state/object-state.ts";
import type { ReadonlyRecord, RealmReader } from "../state/realm-reader.ts";
import { fallbacksOf } from "./fallback-notification.ts";
import { hostPlanOf, macroValues } from "./macro-values.ts";
import { hashId, problemId } from "./notification-id.ts";

/**
 * Builds the notifications of one planned notification, one per contact. Each holds everything that its text may need,
 * because the object may have changed by the time it is delivered.
 */
export function buildNotifications(
  realm: RealmReader,
  record: ReadonlyRecord,
  { planned, atMs }: { planned: PlannedNotification; atMs: number },
): readonly Notification[] {
  const { plan, state } = record;
  const { kind, level, number, countedFromMs, problemNumber, notificationNumber, by, comment } = planned;
  const origin = [realm.name, plan.ref, countedFromMs];
  const host = hostPlanOf(realm, record);
  const common: Omit<Notification, "id" | "contact"> = {
    kind,
    key: plan.key,
    status: planned.status,
    previousStatus: planned.previousStatus,
    stateType: planned.stateType,
    attempt: attemptOf(state.phase, maxAttemptsOf(plan)),
    maxAttempts: maxAttemptsOf(plan),
    output: state.last?.output ?? "",
    longOutput: state.last?.longOutput ?? "",
    perfdata: state.last?.perfdata ?? [],
    problemId: problemId({ realm: realm.name, ref: plan.ref, sinceMs: countedFromMs, number: problemNumber }),
    level,
    number,
    decisionId: decisionIdOf(planned),
    author: by.onBehalfOf === "" ? by.author : by.onBehalfOf,
    comment,
    labels: plan.about.labels,
    sinceMs: state.lastChangeAtMs ?? atMs,
    atMs,
    ...(host === undefined || host.address === "" ? {} : { address: host.address }),
    ...(state.failingSinceMs === undefined ? {} : { problemSinceMs: state.failingSinceMs }),
    ...(state.lastOkAtMs === undefined ? {} : { lastOkAtMs: state.lastOkAtMs }),
  };
  return planned.contacts.map((contact): Notification => {
    const id = hashId([...origin, notificationNumber, kind, level, contact]);
    const fallbacks = fallbacksOf(contact, realm.plan);
    const notified = fallbacks.filter((fallback) => planned.contacts.includes(fallback));
    const own = { ...common, id, contact, ...(notified.length === 0 ? {} : { fallbacksNotified: notified }) };
    // A fallback that runs a program needs the macros of this moment too.
    const runsProgram = [contact, ...fallbacks].some((name) => realm.plan.contacts.get(name)?.type === "command");
    if (!runsProgram) return own;
    const macros = { ...macroValues(realm, record, atMs), ...configuredMacros({ plan, host }) };
    return { ...own, macros: { ...macros, ...ownMacros(common, planned) } };
  });
}

/** Macros of the notification itself. A recovery has the next number and, although it is over, the problem's id. */
function ownMacros(
  { key, kind, number, problemId }: Pick<Notification, "key" | "kind" | "number" | "problemId">,
  { contacts }: PlannedNotification,
): Readonly<Record<string, string>> {
  const prefix = key.kind === "service" ? "SERVICE" : "HOST";
  const recovery = kind === "RECOVERY";
  const counted = String(recovery ? number + 1 : number);
  return {
    NOTIFICATIONRECIPIENTS: contacts.join(","),
    NOTIFICATIONNUMBER: counted,
    [`${prefix}NOTIFICATIONNUMBER`]: counted,
    ...(recovery ? { [`${prefix}PROBLEMID`]: problemId } : {}),
  };
}
