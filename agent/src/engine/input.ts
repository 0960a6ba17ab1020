import type { CommandEffect } from "@realmwatch/shared/commands/commands";
import type { PassiveResult } from "@realmwatch/shared/commands/process-check-results";
import type { ProgramToggles } from "@realmwatch/shared/model/toggles";
import type { DowntimeTrigger } from "./transition.ts";

/** A check result before the engine has processed it. */
export type CheckResult = Omit<PassiveResult, "ref" | "checkSource"> & {
  /** Arrival time of a result that arrived before a restart, Unix ms. Default: now. */
  readonly heardAtMs?: number;
  readonly latencyMs: number | undefined;
  readonly source: string;
  /** `active`: own check. `passive`: submitted. `stale`: made by the freshness check. `rule`: a process' rule. */
  readonly origin: "active" | "passive" | "stale" | "rule";
};

/** Input that a command gives to the engine for one of its objects. */
type CommandInput = Exclude<Extract<CommandEffect, { kind: "object" }>["input"], { kind: "result" }>;

/** One input to the engine, for one object. */
export type ObjectInput =
  | CommandInput
  | { readonly kind: "result"; readonly result: CheckResult }
  | DowntimeTrigger
  /** The object's context changed in a way that may allow a suppressed notification. */
  | { readonly kind: "reevaluate_notifications" }
  /** A toggle of the whole realm changed; the object context has its new value. */
  | { readonly kind: "program_toggle"; readonly toggle: keyof ProgramToggles }
  /** The wall clock was set by `byMs`, forward or (negative) back. */
  | { readonly kind: "clock_jump"; readonly byMs: number }
  /** A deadline has passed: downtimes begin and end, acknowledgements expire, missing results become stale. */
  | { readonly kind: "due" };
