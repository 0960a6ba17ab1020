import type { Calendar } from "@realmwatch/shared/calendar/timeperiod";
import type { PolicyPlan } from "@realmwatch/shared/config/plan";
import type { Acknowledgement, Comment } from "@realmwatch/shared/model/annotation";
import type { Activation, Downtime } from "@realmwatch/shared/model/downtime";
import type { PerfPoint } from "@realmwatch/shared/model/perfdata";
import type { Status } from "@realmwatch/shared/model/status";
import type { ObjectToggles, ProgramToggles } from "@realmwatch/shared/model/toggles";
import type { ParentsState } from "./state/reachability.ts";

/** A result on its way into the engine. */
export type CheckResult = {
  readonly status: Exclude<Status, "pending">;
  readonly output: string;
  readonly longOutput: string;
  readonly perfdata: readonly PerfPoint[];
  /** When the check started, Unix ms. */
  readonly executedAtMs: number;
  /** When it came, Unix ms, where that was before a restart; left out it is now. */
  readonly heardAtMs?: number;
  readonly latencyMs: number | undefined;
  readonly executionMs: number | undefined;
  readonly source: string;
  /** Who made it: a check of ours, somebody outside, silence, or a process' rule. */
  readonly origin: "active" | "passive" | "stale" | "rule";
};

export type Author = { readonly author: string; readonly onBehalfOf: string };

/** One thing that happens to one object. */
export type ObjectInput =
  | { readonly kind: "result"; readonly result: CheckResult }
  | { readonly kind: "acknowledge"; readonly acknowledgement: Acknowledgement; readonly notify: boolean }
  | { readonly kind: "remove_acknowledgement"; readonly by: Author }
  /** `trigger`: of a triggered downtime, where that which triggers it is in effect already. */
  | { readonly kind: "schedule_downtime"; readonly downtime: Downtime; readonly trigger?: Activation | undefined }
  | { readonly kind: "delete_downtime"; readonly id: string; readonly by: Author }
  /** A downtime elsewhere came into effect, or (`active` undefined) was deleted `by` somebody; `id` names it. */
  | {
      readonly kind: "downtime_trigger";
      readonly id: string;
      readonly active: Activation | undefined;
      readonly by?: Author;
    }
  | { readonly kind: "add_comment"; readonly comment: Comment }
  | { readonly kind: "delete_comment"; readonly id: string; readonly by: Author }
  | { readonly kind: "set_toggle"; readonly toggle: keyof ObjectToggles; readonly enabled: boolean; readonly by: Author }
  | { readonly kind: "custom_notification"; readonly comment: string; readonly by: Author }
  /** Something around the object has moved that may let out what was withheld. */
  | { readonly kind: "look_again" }
  /** A switch of the whole realm has moved; the surroundings say where to. */
  | { readonly kind: "program_toggle"; readonly toggle: keyof ProgramToggles }
  /** The wall clock was moved, forward or back, while no time passed. */
  | { readonly kind: "clock_jump"; readonly byMs: number }
  /** Time has passed: downtimes begin and end, acknowledgements expire, silence becomes stale. */
  | { readonly kind: "due" };

/** Whether it only puts a comment there or takes one away. */
export const isCommentInput = ({ kind }: ObjectInput): boolean => kind === "add_comment" || kind === "delete_comment";

/** What other objects and the realm's switches mean for this one, at the instant of the step. */
export type ObjectContext = {
  /** Of a service: its host is down or unreachable, confirmed or not. */
  readonly hostDown: boolean;
  /** The same, confirmed. */
  readonly hostBlocked: boolean;
  readonly parents: ParentsState;
  readonly passiveChecksOn: boolean;
  readonly flapDetectionOn: boolean;
  /** Of a passive object: until when its `check_period` is closed, Unix ms; undefined while it is open. May be Infinity. */
  readonly closedUntilMs: number | undefined;
  /** Names of what is in the way while `hostDown` or all parents are: the host, or the parents that are down. */
  readonly blockedBy: readonly string[];
  /**
   * When what an object depends on (a service's host, a host's parents) last came back from being down, Unix ms: a
   * result from before says nothing of the object itself. Undefined where that never happened.
   */
  readonly reachableSinceMs: number | undefined;
  /** Of a service whose host has a check of ours that may run now: what is known of the host. Else undefined. */
  readonly hostCheck: { readonly lastAtMs: number | undefined; readonly timeoutMs: number } | undefined;
  /** Of a service: its host is in downtime. */
  readonly hostInDowntime: boolean;
  /** The recurring downtimes of the object, each with its current or next occurrence. */
  readonly recurring: readonly RecurringWindow[];
  /** The dependency that silences the object now, if one does. Asked for only where there is something to tell. */
  dependency(): FailedDependency | undefined;
  /** Who is told what, and when. */
  readonly routing: NotificationRouting;
};

/** [startMs, endMs) is the current or the next occurrence; openings that touch are one. */
export type RecurringWindow = {
  readonly name: string;
  readonly comment: string;
  readonly startMs: number;
  readonly endMs: number;
};

/** `untilMs`: where the dependency's own period ends; undefined where only a change of state can end it. */
export type FailedDependency = {
  readonly name: string;
  readonly suppress: "all" | "problems";
  readonly untilMs: number | undefined;
};

/** What the realm's plan and switches say of notifications. */
export type NotificationRouting = {
  readonly programOn: boolean;
  /** Undefined where the object never notifies. */
  readonly policy: PolicyPlan | undefined;
  /** Undefined where there is no such contact. */
  contact(name: string): { readonly period: string; readonly on: boolean } | undefined;
  readonly calendar: Pick<Calendar, "isOpen" | "nextOpen">;
};

/** Which of a host's parents or children are meant, as they are then; see `isMeant`. */
export type NeighbourFilter = "all" | "up" | "not_up" | "not_unreachable";

/** What a step asks the loop to do next; nothing of it is state. */
export type FollowUp =
  /** Look at the host of this service before its next regular check. */
  | { readonly kind: "check_host" }
  /** The same, however young the host's last result is: a message waits for it. */
  | { readonly kind: "await_host" }
  /** The same of this host's neighbours. */
  | { readonly kind: "check_parents"; readonly which: NeighbourFilter }
  | { readonly kind: "check_children"; readonly which: NeighbourFilter }
  /** Look at what the object's dependencies read: its problem is about to be confirmed. */
  | { readonly kind: "check_masters" }
  /** A downtime came into effect or was deleted: wake those it triggers. */
  | {
      readonly kind: "downtime_trigger";
      readonly id: string;
      readonly active: Activation | undefined;
      readonly by?: Author;
    };
