import { lookOf } from "@realmwatch/shared/config/diff-plans";
import type { ObjectPlan, RealmPlan } from "@realmwatch/shared/config/plan";
import { keyOf } from "@realmwatch/shared/model/object-key";
import type { Labels } from "@realmwatch/shared/model/row";
import { hashText } from "@realmwatch/shared/text/hash";
import { maxAttemptsOf } from "../../engine/state/attempts.ts";
import { hasOpenProblem } from "../../engine/notify/open-problem.ts";
import { type ObjectState, reviveState } from "../../engine/state/object-state.ts";
import type { ObjectRecord } from "../state/object-record.ts";

/** So much of an object's definition as a start with another document has to know of the one before. */
export type StoredDefinition = {
  /** A hash of how the object was looked at. */
  readonly look: string;
  /** Where there may be something to tell: what messages say of the object, and its policy. */
  readonly told?: { readonly policy: string; readonly maxAttempts: number; readonly labels: Labels };
};

/** An object as the journal has it. The definition is missing where an earlier version wrote it. */
export type JournaledObject = {
  readonly state: ObjectState;
  /** What commands up to this one did to the object is in its state; 0 for none. */
  readonly upToCommand: number;
  readonly definition: StoredDefinition | undefined;
};

export const hashCheckDefinition = (object: ObjectPlan, plan: RealmPlan): string => hashText(lookOf(object, plan));

/** The JSON that a journal keeps of an object, its state with all that commands up to `upToCommand` did. */
export function serializeObject({ plan, state }: ObjectRecord, realmPlan: RealmPlan, upToCommand: number): string {
  const { policy, about } = plan;
  const told = hasOpenProblem(state) ? { policy, maxAttempts: maxAttemptsOf(plan), labels: about.labels } : undefined;
  return JSON.stringify({ ...state, upToCommand, definition: { look: hashCheckDefinition(plan, realmPlan), told } });
}

export function parseStoredObject(json: string, nowMs: number): JournaledObject {
  const { definition, upToCommand = 0, ...state } = JSON.parse(json) as Partial<ObjectState & JournaledObject>;
  return { state: reviveState(state, nowMs), upToCommand, definition };
}

/** Reads what a journal gives back of objects: their texts by reference. */
export function* parseStoredObjects(
  texts: Iterable<readonly [ref: string, json: string]>,
  nowMs: number,
): Generator<[ref: string, object: JournaledObject]> {
  for (const [ref, json] of texts) yield [ref, parseStoredObject(json, nowMs)];
}

/** An object that the journal knows and the document has no more, with what is still known of its definition. */
export function removedRecord(ref: string, { state, definition }: Omit<JournaledObject, "upToCommand">): ObjectRecord {
  const { policy = "", maxAttempts = 1, labels = {} } = definition?.told ?? {};
  return { plan: planOf(ref, { policy, maxAttempts, labels }), state };
}

function planOf(ref: string, { policy, maxAttempts, labels }: Required<StoredDefinition>["told"]): ObjectPlan {
  const key = keyOf(ref);
  const unknown = { parents: [], checkType: "", rule: "", zone: "", checkPeriod: "", notificationPeriod: "" };
  const common = {
    ...{ ref, policy, about: { ...unknown, key, labels }, vars: {}, digest: "" },
    flap: { enabled: false, alpha: 1, highThreshold: 1, lowThreshold: 0, notifyOnFlapStop: false },
  };
  if (key.kind === "process") {
    const rule = { kind: "worst", of: [] } as const;
    const counting = { states: "hard", ignoreDowntime: false, ignoreAcknowledged: false } as const;
    return { ...common, ...counting, key, rule, inputs: [], description: "" };
  }
  const checked = {
    ...common,
    check: { type: "passive", freshnessThresholdMs: Number.POSITIVE_INFINITY, staleStatus: "unknown" },
    schedule: { checkIntervalMs: 1, retryIntervalMs: 1, timeoutMs: 1, maxAttempts, checkPeriod: "" },
    ...{ handler: "", handlerEnabled: false },
  } as const;
  if (key.kind === "service") return { ...checked, key, host: key.host };
  return { ...checked, key, address: "", parents: [], children: [], services: [] };
}
