import type { Acknowledgement, Comment } from "@realmwatch/shared/words/annotation";
import type { Activation, Downtime } from "@realmwatch/shared/words/downtime";
import type { PerfPoint } from "@realmwatch/shared/words/perfdata";
import type { Status } from "@realmwatch/shared/words/status";
import type { ObjectToggles, ProgramToggles } from "@realmwatch/shared/words/toggles";
import type { ParentsState } from "./reachability.ts";

/** A result on its way into the engine. */
export type CheckResult = {
  readonly status: Exclude<Status, "pending">;
  readonly output: string;
  readonly longOutput: string;
  readonly perfdata: readonly PerfPoint[];
  /** When the check started, Unix ms. */
  readonly executedAtMs: number;
  readonly latencyMs: number | undefined;
  readonly executionMs: number | undefined;
  readonly source: string;
  /** Who made it: a check of ours, somebody outside, silence, or a process' rule. */
  readonly origin: "active" | "passive" | "stale" | "rule";
};

export type By = { readonly author: string; readonly onBehalfOf: string };

/** One thing that happens to one object. */
export type ObjectInput =
  | { readonly kind: "result"; readonly result: CheckResult }
  | { readonly kind: "acknowledge"; readonly acknowledgement: Acknowledgement; readonly notify: boolean }
  | { readonly kind: "remove_acknowledgement"; readonly by: By }
  /** `trigger`: of a triggered downtime, where that which triggers it is in effect already. */
  | { readonly kind: "schedule_downtime"; readonly downtime: Downtime; readonly trigger?: Activation | undefined }
  | { readonly kind: "delete_downtime"; readonly id: string; readonly by: By }
  /** A downtime elsewhere came into effect, or (`active` undefined) was deleted; `id` names it. */
  | { readonly kind: "downtime_trigger"; readonly id: string; readonly active: Activation | undefined }
  | { readonly kind: "add_comment"; readonly comment: Comment }
  | { readonly kind: "delete_comment"; readonly id: string; readonly by: By }
  | { readonly kind: "set_toggle"; readonly toggle: keyof ObjectToggles; readonly enabled: boolean; readonly by: By }
  | { readonly kind: "custom_notification"; readonly comment: string; readonly by: By }
  /** A switch of the whole realm has moved; the surroundings say where to. */
  | { readonly kind: "program_toggle"; readonly toggle: keyof ProgramToggles }
  /** The wall clock was moved, forward or back, while no time passed. */
  | { readonly kind: "clock_jump"; readonly byMs: number }
  /** Time has passed: downtimes begin and end, acknowledgements expire, silence becomes stale. */
  | { readonly kind: "due" };

/** What other objects and the realm's switches mean for this one, at the instant of the step. */
export type Surroundings = {
  /** Of a service: its host is down or unreachable, confirmed or not. */
  readonly hostDown: boolean;
  /** The same, confirmed. */
  readonly hostBlocked: boolean;
  readonly parents: ParentsState;
  readonly passiveChecksOn: boolean;
  readonly flapDetectionOn: boolean;
  /** Of a passive object: until when its `check_period` is closed, Unix ms; undefined while it is open. May be Infinity. */
  readonly closedUntilMs: number | undefined;
};

/** What a step asks the loop to do next; nothing of it is state. */
export type FollowUp =
  /** Look at the host of this service, or at the parents of this host, before the next regular check. */
  | { readonly kind: "check_host" }
  | { readonly kind: "check_parents" }
  | { readonly kind: "check_children" }
  /** A downtime came into effect or was deleted: wake those it triggers. */
  | { readonly kind: "downtime_trigger"; readonly id: string; readonly active: Activation | undefined };
