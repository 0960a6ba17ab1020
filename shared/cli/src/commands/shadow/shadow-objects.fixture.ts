import type { ObservedObject } from "./observed-object.ts";
import type { ShadowedObject } from "./shadow-results.ts";

/** Object at the other system: a service in its first attempt. */
export const observedObject = (fields: Partial<ObservedObject> = {}): ObservedObject => ({
  ...{ ref: "web1!http", status: "critical", isHard: false, attempt: 1, checkedAtMs: 100_000, executionMs: 20 },
  ...{ output: "refused", longOutput: "", perfdata: "", lastOkAtMs: undefined, notifiedAtMs: undefined },
  ...{ isPassive: false, wasHardProblem: false, notificationNumber: 0 },
  circumstances: [],
  ...fields,
});
/** Object of an agent: a service that is ok. */
export const shadowedObject = (fields: Partial<ShadowedObject> = {}): ShadowedObject => ({
  ...{ ref: "web1!http", status: "ok", isHard: true, attempt: 1, maxAttempts: 3, checkedAtMs: 40_000 },
  suppressedBy: [],
  ...fields,
});
/** Service of an agent that is critical and soft. */
export const softObject = (attempt: number, more: Partial<ShadowedObject> = {}) =>
  shadowedObject({ status: "critical", isHard: false, attempt, ...more });
