import { checkSignature } from "@realmwatch/shared/config/diff/diff-plans";
import type { ObjectPlan, RealmPlan } from "@realmwatch/shared/config/plan";
import { keyOf } from "@realmwatch/shared/model/object-key";
import type { Labels } from "@realmwatch/shared/model/row";
import { blankMetadata } from "@realmwatch/shared/row/metadata-fields";
import { hashText } from "@realmwatch/shared/text/hash";
import { hasOpenProblem } from "../../engine/notify/plan-notifications.ts";
import { maxAttemptsOf, type ObjectState, reviveState } from "../../engine/state/object-state.ts";
import type { ObjectRecord } from "../state/object-record.ts";

/** Parts of an object's definition that a start with a changed configuration needs of the previous one. */
type StoredDefinition = {
  /** Hash of the check's definition; see `hashCheckDefinition`. */
  readonly look: string;
  /** Policy, and what notifications show of the object; stored while it has an open problem. */
  readonly told?: { readonly policy: string; readonly maxAttempts: number; readonly labels: Labels };
};

/** An object as the journal stores it. */
export type JournaledObject = {
  readonly state: ObjectState;
  readonly definition: StoredDefinition;
};

/** Hash of everything in an object's definition that decides how it is checked. */
export const hashCheckDefinition = (object: ObjectPlan, plan: RealmPlan): string =>
  hashText(checkSignature(object, plan));

/** Serializes an object to the JSON that the journal stores. */
export function serializeObject({ plan, state }: ObjectRecord, realmPlan: RealmPlan): string {
  const { policy, about } = plan;
  const told = hasOpenProblem(state) ? { policy, maxAttempts: maxAttemptsOf(plan), labels: about.labels } : undefined;
  return JSON.stringify({ ...state, definition: { look: hashCheckDefinition(plan, realmPlan), told } });
}

export function parseStoredObject(json: string, nowMs: number): JournaledObject {
  const { definition, ...state } = JSON.parse(json) as ObjectState & Pick<JournaledObject, "definition">;
  return { state: reviveState(state, nowMs), definition };
}

/** Parses the stored JSON of many objects, one per iteration. */
export function* parseStoredObjects(
  texts: Iterable<readonly [ref: string, json: string]>,
  nowMs: number,
): Generator<[ref: string, object: JournaledObject]> {
  for (const [ref, json] of texts) yield [ref, parseStoredObject(json, nowMs)];
}

/** Record of an object that is in the journal but no longer in the configuration; its definition is reconstructed. */
export function removedRecord(ref: string, { state, definition }: JournaledObject): ObjectRecord {
  const { policy = "", maxAttempts = 1, labels = {} } = definition.told ?? {};
  return { plan: reconstructPlan(ref, { policy, maxAttempts, labels }), state };
}

function reconstructPlan(ref: string, { policy, maxAttempts, labels }: Required<StoredDefinition>["told"]): ObjectPlan {
  const key = keyOf(ref);
  const common = {
    ...{ ref, policy, about: { ...blankMetadata, key, labels }, vars: {}, digest: "" },
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
