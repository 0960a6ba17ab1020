import type { Calendar } from "@realmwatch/shared/calendar/timeperiod";
import type { ContactPlan, PolicyPlan } from "@realmwatch/shared/config/plan";
import type { ParentsState } from "./state/reachability.ts";

/** State of other objects and of the realm's toggles that matters to one object, at the time of the step. */
export type ObjectContext = {
  /** True for a service whose host is down or unreachable, soft or hard. */
  readonly hostDown: boolean;
  readonly parents: ParentsState;
  readonly passiveChecksOn: boolean;
  readonly flapDetectionOn: boolean;
  /** End of the closed part of a passive object's `check_period`, Unix ms; undefined while open. May be Infinity. */
  readonly closedUntilMs: number | undefined;
  /** Names of the blocking objects while `hostDown` is true or all parents are down: the host, or the down parents. */
  readonly blockedBy: readonly string[];
  /**
   * Time at which the host of a service, or a parent of a host, last recovered from being down, Unix ms. A result from
   * before that time is not evidence about the object itself. Undefined when there was no such recovery.
   */
  readonly reachableSinceMs: number | undefined;
  /** Last check and timeout of a service's host; undefined when the host has no active check that may run now. */
  readonly hostCheck: { readonly lastAtMs: number | undefined; readonly timeoutMs: number } | undefined;
  /** True for a service whose host is in downtime. */
  readonly hostInDowntime: boolean;
  /** Recurring downtimes of the object, each with its current or next occurrence. */
  readonly recurring: readonly RecurringWindow[];
  /** Finds the failed dependency that suppresses notifications now. Called only when a notification is due. */
  dependency(): FailedDependency | undefined;
  readonly routing: NotificationRouting;
};

/** [startMs, endMs) is the current or the next occurrence; adjacent openings are merged. */
export type RecurringWindow = {
  readonly name: string;
  readonly comment: string;
  readonly startMs: number;
  readonly endMs: number;
};

/** `untilMs`: end of the dependency's period, Unix ms; undefined when only a state change can end the failure. */
export type FailedDependency = {
  readonly name: string;
  readonly suppress: "all" | "problems";
  readonly untilMs: number | undefined;
};

/**
 * Settings by which notifications are sent to a contact. `on`: whether they are enabled. `offUntilMs`: end of its mute, if
 * known, Unix ms.
 */
type ContactRouting = {
  readonly period: string;
  readonly statuses: ContactPlan["statuses"];
  readonly on: boolean;
  readonly offUntilMs?: number | undefined;
};

/** Notification settings of the realm's plan and toggles that apply to one object. */
export type NotificationRouting = {
  readonly programOn: boolean;
  /** Undefined when the object has no notification policy. */
  readonly policy: PolicyPlan | undefined;
  /** Looks a contact up by name; undefined when it does not exist. */
  contact(name: string): ContactRouting | undefined;
  readonly calendar: Pick<Calendar, "isOpen" | "nextOpen">;
};
