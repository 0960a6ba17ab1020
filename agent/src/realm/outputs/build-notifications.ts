import { createHash } from "node:crypto";
import type { Notification } from "@realmwatch/shared/model/notification";
import { maxAttemptsOf } from "../../engine/state/attempts.ts";
import { attemptOf } from "../../engine/state/attempts.ts";
import type { PlannedNotification } from "../../engine/notify/planned-notification.ts";
import { macroValues } from "./macro-values.ts";
import type { ObjectRecord } from "../state/object-record.ts";
import type { RealmState } from "../state/realm-state.ts";

/** The messages of one sending, one a contact, with all that they may say: the object has moved on when they leave. */
export function buildNotifications(
  realm: RealmState,
  record: ObjectRecord,
  { sending, atMs }: { sending: PlannedNotification; atMs: number },
): readonly Notification[] {
  const { plan, state } = record;
  const { kind, level, number, countedFromMs, problem, message, by, comment } = sending;
  const origin = [realm.name, plan.ref, countedFromMs];
  const common: Omit<Notification, "id" | "contact"> = {
    kind,
    key: plan.key,
    status: sending.status,
    previousStatus: sending.previousStatus,
    stateType: sending.stateType,
    attempt: attemptOf(state.phase, maxAttemptsOf(plan)),
    maxAttempts: maxAttemptsOf(plan),
    output: state.last?.output ?? "",
    longOutput: state.last?.longOutput ?? "",
    perfdata: state.last?.perfdata ?? [],
    problemId: identity([...origin, "problem", problem]),
    level,
    number,
    author: by.onBehalfOf === "" ? by.author : by.onBehalfOf,
    comment,
    labels: plan.about.labels,
    sinceMs: state.lastChangeAtMs ?? atMs,
    atMs,
  };
  return sending.contacts.map((contact): Notification => {
    const id = identity([...origin, message, kind, level, contact]);
    const runsProgram = realm.plan.contacts.get(contact)?.type === "command";
    const macros = runsProgram ? macroValues(realm, record, atMs) : undefined;
    return { ...common, id, contact, ...(macros === undefined ? {} : { macros }) };
  });
}

/** Short, safe in any header, and the same for the same parts. */
const identity = (parts: readonly (string | number)[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
