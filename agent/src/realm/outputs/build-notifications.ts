import { createHash } from "node:crypto";
import type { Notification } from "@realmwatch/shared/model/notification";
import type { PlannedNotification } from "../../engine/notify/planned-notification.ts";
import { attemptOf, maxAttemptsOf } from "../../engine/state/attempts.ts";
import type { ReadonlyRecord, RealmReader } from "../state/realm-reader.ts";
import { macroValues } from "./macro-values.ts";

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
    problemId: hashId([...origin, "problem", problemNumber]),
    level,
    number,
    author: by.onBehalfOf === "" ? by.author : by.onBehalfOf,
    comment,
    labels: plan.about.labels,
    sinceMs: state.lastChangeAtMs ?? atMs,
    atMs,
  };
  return planned.contacts.map((contact): Notification => {
    const id = hashId([...origin, notificationNumber, kind, level, contact]);
    const runsProgram = realm.plan.contacts.get(contact)?.type === "command";
    const macros = runsProgram ? macroValues(realm, record, atMs) : undefined;
    return { ...common, id, contact, ...(macros === undefined ? {} : { macros }) };
  });
}

/** 32 hexadecimal digits, safe in mail and HTTP headers, and equal for equal parts. */
const hashId = (parts: readonly (string | number)[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
