import { isChecked, type ObjectPlan } from "@realmwatch/shared/config/plan";
import type { Acknowledgement, Comment } from "@realmwatch/shared/model/annotation";
import type { Downtime } from "@realmwatch/shared/model/downtime";
import type { PerfPoint } from "@realmwatch/shared/model/perfdata";
import { isProblem, type ProblemStatus, type StateType, type Status } from "@realmwatch/shared/model/status";
import { allObjectTogglesOn, type ObjectToggles } from "@realmwatch/shared/model/toggles";
import { type FlapState, notFlapping } from "../flapping/flapping.ts";
import type { NotificationState } from "../notify/notification-state.ts";
import { reviveNotificationState } from "../notify/revive-notification-state.ts";
import type { ConfiguredToggles } from "../toggles/configured-toggles.ts";

/** Soft or hard state of an object. `attempt` counts from 1 while a problem is soft. */
export type Phase =
  | { readonly kind: "pending" | "ok" }
  | { readonly kind: "soft"; readonly status: ProblemStatus; readonly attempt: number }
  | { readonly kind: "hard"; readonly status: ProblemStatus };

/**
 * [ST1-ST7] The phase after one result.
 *
 * @param maxAttempts number of results that confirm a problem, at least 1
 * @param confirmed   true makes a problem hard with its first result, because the host is down
 */
export function nextPhase(phase: Phase, status: Status, maxAttempts: number, confirmed = false): Phase {
  if (status === "pending") return phase;
  if (!isProblem(status)) return { kind: "ok" };
  if (phase.kind === "hard") return phase.status === status ? phase : { kind: "hard", status };
  const attempt = phase.kind === "soft" ? phase.attempt + 1 : 1;
  return confirmed || attempt >= maxAttempts ? { kind: "hard", status } : { kind: "soft", status, attempt };
}

export const statusOf = (phase: Phase): Status =>
  phase.kind === "soft" || phase.kind === "hard" ? phase.status : phase.kind;

export const stateTypeOf = (phase: Phase): StateType => (phase.kind === "soft" ? "soft" : "hard");

/** Attempt as lists show it: 1 without a problem, `maxAttempts` in a hard problem, never more than `maxAttempts`. */
export function attemptOf(phase: Phase, maxAttempts: number): number {
  if (phase.kind === "soft") return Math.min(phase.attempt, maxAttempts);
  return phase.kind === "hard" ? maxAttempts : 1;
}

export const samePhase = (a: Phase, b: Phase): boolean =>
  statusOf(a) === statusOf(b) && attemptOf(a, Infinity) === attemptOf(b, Infinity) && a.kind === b.kind;

/** Number of results that confirm a problem of the object; 1 for a process. */
export const maxAttemptsOf = (plan: ObjectPlan): number => (isChecked(plan) ? plan.schedule.maxAttempts : 1);

/** The last processed result. */
type LastResult = {
  readonly output: string;
  readonly longOutput: string;
  readonly perfdata: readonly PerfPoint[];
  /** Start of the check, Unix ms. */
  readonly executedAtMs: number;
  /** Start of the check of the last real result, Unix ms; stale results made by the freshness check do not count. */
  readonly realAtMs: number | undefined;
  readonly latencyMs: number | undefined;
  readonly executionMs: number | undefined;
  readonly source: string;
  /** Status before a host's parents turned it into unreachable. */
  readonly rawStatus: Status;
};

/**
 * Variable state of one object. The journal stores it as JSON, so its fields are a format: a change of them raises the
 * version of the journal.
 */
export type ObjectState = {
  readonly phase: Phase;
  readonly lastHardStatus: Status;
  /** Status before the last result; undefined without a result. */
  readonly previousStatus?: Status | undefined;
  /** Start of the last check that was ok before the current or last problem, Unix ms; undefined when no check was ok. */
  readonly lastOkAtMs?: number | undefined;
  /** Time of the last change of status, Unix ms. */
  readonly lastChangeAtMs: number | undefined;
  /** Time of the last change of the hard status, Unix ms. */
  readonly lastHardChangeAtMs: number | undefined;
  readonly last: LastResult | undefined;
  /** Wall-clock time of the next regular check, Unix ms; stored so that a restart keeps the schedule. */
  readonly nextCheckAtMs: number | undefined;
  /** [SC14] Scheduled time slot that the next regular check makes up for, Unix ms; undefined when it is on schedule. */
  readonly missedTurnAtMs?: number | undefined;
  /** Time at which a check was requested that has not ended yet, Unix ms. */
  readonly checkAskedAtMs: number | undefined;
  /** Start of the freshness threshold of a passive object, and of a process' next stable flap sample, Unix ms. */
  readonly freshFromMs: number;
  /**
   * Arrival time of the last real result, Unix ms; stale results made by the freshness check do not count. Creation
   * time of the object when there is none. A jump of the wall clock moves this time too.
   */
  readonly heardAtMs: number;
  /** End of the check by which a host last recovered from being down or unreachable, Unix ms. */
  readonly upSinceMs: number | undefined;
  /** Start of the check that first found the current problem, Unix ms; undefined without a problem. */
  readonly failingSinceMs: number | undefined;
  readonly flap: FlapState;
  readonly acknowledgement: Acknowledgement | undefined;
  readonly downtimes: readonly Downtime[];
  readonly comments: readonly Comment[];
  readonly toggles: ObjectToggles;
  /** [TG3] Configured values at the time a toggle was last set; undefined when no toggle overrides them. */
  readonly configured?: ConfiguredToggles | undefined;
  /** Undefined when no notification was ever due. */
  readonly notificationState: NotificationState | undefined;
};

const none: readonly never[] = [];

/** State of an object that has never been checked. */
export const newState = (nowMs: number): ObjectState => ({
  phase: { kind: "pending" },
  lastHardStatus: "pending",
  lastChangeAtMs: undefined,
  lastHardChangeAtMs: undefined,
  last: undefined,
  nextCheckAtMs: undefined,
  checkAskedAtMs: undefined,
  freshFromMs: nowMs,
  heardAtMs: nowMs,
  upSinceMs: undefined,
  failingSinceMs: undefined,
  flap: notFlapping,
  acknowledgement: undefined,
  downtimes: none,
  comments: none,
  toggles: allObjectTogglesOn,
  notificationState: undefined,
});

/**
 * Restores a state from its JSON, which leaves undefined fields out. Values that most objects have in common are
 * replaced by shared constants, to save memory.
 */
export const reviveState = (stored: Partial<ObjectState>, nowMs: number): ObjectState => ({
  ...newState(nowMs),
  ...stored,
  flap: stored.flap === undefined || isNotFlapping(stored.flap) ? notFlapping : stored.flap,
  toggles: stored.toggles === undefined || areAllOn(stored.toggles) ? allObjectTogglesOn : stored.toggles,
  downtimes: stored.downtimes === undefined || stored.downtimes.length === 0 ? none : stored.downtimes,
  comments: stored.comments === undefined || stored.comments.length === 0 ? none : stored.comments,
  notificationState: stored.notificationState && reviveNotificationState(stored.notificationState),
});

const isNotFlapping = ({ value, flapping }: FlapState): boolean => value === 0 && !flapping;
const areAllOn = (toggles: ObjectToggles): boolean =>
  toggles.notifications &&
  toggles.activeChecks &&
  toggles.passiveChecks &&
  toggles.eventHandler &&
  toggles.flapDetection;
