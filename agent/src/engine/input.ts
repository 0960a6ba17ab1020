import type { Acknowledgement, Comment } from "@realmwatch/shared/model/annotation";
import type { Activation, Downtime } from "@realmwatch/shared/model/downtime";
import type { PerfPoint } from "@realmwatch/shared/model/perfdata";
import type { Status } from "@realmwatch/shared/model/status";
import type { ObjectToggles, ProgramToggles } from "@realmwatch/shared/model/toggles";
import type { Author } from "./author.ts";

/** A check result before the engine has processed it. */
export type CheckResult = {
  readonly status: Exclude<Status, "pending">;
  readonly output: string;
  readonly longOutput: string;
  readonly perfdata: readonly PerfPoint[];
  /** Start of the check, Unix ms. */
  readonly executedAtMs: number;
  /** Arrival time of a result that arrived before a restart, Unix ms. Default: now. */
  readonly heardAtMs?: number;
  readonly latencyMs: number | undefined;
  readonly executionMs: number | undefined;
  readonly source: string;
  /** `active`: own check. `passive`: submitted. `stale`: made by the freshness check. `rule`: a process' rule. */
  readonly origin: "active" | "passive" | "stale" | "rule";
};

/** One input to the engine, for one object. */
export type ObjectInput =
  | { readonly kind: "result"; readonly result: CheckResult }
  | { readonly kind: "acknowledge"; readonly acknowledgement: Acknowledgement; readonly notify: boolean }
  | { readonly kind: "remove_acknowledgement"; readonly by: Author }
  /** `trigger`: activation of the downtime that triggers this one, if that is in effect already. */
  | { readonly kind: "schedule_downtime"; readonly downtime: Downtime; readonly trigger?: Activation | undefined }
  | { readonly kind: "delete_downtime"; readonly id: string; readonly by: Author }
  /** The downtime `id` of any object came into effect, or (`active` undefined) was deleted by `by`. */
  | {
      readonly kind: "downtime_trigger";
      readonly id: string;
      readonly active: Activation | undefined;
      readonly by?: Author;
    }
  | { readonly kind: "add_comment"; readonly comment: Comment }
  | { readonly kind: "delete_comment"; readonly id: string; readonly by: Author }
  | {
      readonly kind: "set_toggle";
      readonly toggle: keyof ObjectToggles;
      readonly enabled: boolean;
      readonly by: Author;
    }
  | { readonly kind: "custom_notification"; readonly comment: string; readonly by: Author }
  /** The object's context changed in a way that may allow a suppressed notification. */
  | { readonly kind: "reevaluate_notifications" }
  /** A toggle of the whole realm changed; the object context has its new value. */
  | { readonly kind: "program_toggle"; readonly toggle: keyof ProgramToggles }
  /** The wall clock was set by `byMs`, forward or (negative) back. */
  | { readonly kind: "clock_jump"; readonly byMs: number }
  /** A deadline has passed: downtimes begin and end, acknowledgements expire, missing results become stale. */
  | { readonly kind: "due" };
