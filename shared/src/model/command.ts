import type { PerfPoint } from "./perfdata.ts";
import type { Status } from "./status.ts";
import type { ObjectToggle, ProgramToggle } from "./toggles.ts";

/** One submitted result. `ref` names a host or service. */
export type PassiveResult = {
  readonly ref: string;
  readonly status: Exclude<Status, "pending">;
  readonly output: string;
  readonly longOutput: string;
  readonly perfdata: readonly PerfPoint[];
  /** Start of the check, Unix ms. */
  readonly executedAtMs: number;
  readonly executionMs: number | undefined;
  readonly checkSource: string;
};

/**
 * A validated and resolved command: selectors are replaced by references (`refs`), ids are generated, defaults are
 * filled in. Applying it needs only the plan and the state. The journal stores it as JSON.
 */
export type Command =
  | { readonly kind: "process_check_results"; readonly results: readonly PassiveResult[] }
  | {
      readonly kind: "acknowledge_problem";
      readonly refs: readonly string[];
      readonly sticky: boolean;
      readonly notify: boolean;
      readonly comment: string;
      readonly expiresAtMs?: number;
    }
  | { readonly kind: "remove_acknowledgement"; readonly refs: readonly string[] }
  | {
      readonly kind: "schedule_downtime";
      /** One downtime for each object, hosts before their services. */
      readonly downtimes: readonly { readonly id: string; readonly ref: string }[];
      readonly startMs: number;
      readonly endMs: number;
      readonly comment: string;
      readonly shape:
        | { readonly kind: "fixed" }
        | { readonly kind: "flexible"; readonly durationMs: number }
        | { readonly kind: "triggered"; readonly triggeredBy: string };
    }
  | { readonly kind: "delete_downtime"; readonly ref: string; readonly id: string }
  | { readonly kind: "send_custom_notification"; readonly refs: readonly string[]; readonly comment: string }
  | { readonly kind: "set_program_notifications"; readonly enabled: boolean }
  | { readonly kind: "set_object_notifications"; readonly refs: readonly string[]; readonly enabled: boolean }
  | { readonly kind: "set_contact_notifications"; readonly contact: string; readonly enabled: boolean }
  | { readonly kind: "set_program_toggle"; readonly toggle: ProgramToggle; readonly enabled: boolean }
  | {
      readonly kind: "set_object_toggle";
      readonly refs: readonly string[];
      readonly toggle: ObjectToggle;
      readonly enabled: boolean;
    }
  | { readonly kind: "schedule_check"; readonly refs: readonly string[] }
  | { readonly kind: "add_comment"; readonly ref: string; readonly id: string; readonly text: string }
  | { readonly kind: "delete_comment"; readonly ref: string; readonly id: string };

/** A command as stored in the journal. `seq` counts accepted commands from 1, without gaps. */
export type AcceptedCommand = {
  readonly seq: number;
  readonly atMs: number;
  /** Authenticated identity; without authentication, the author named in the request. */
  readonly author: string;
  /** Author named in the request, when it differs from the authenticated one; else empty. */
  readonly onBehalfOf: string;
  readonly command: Command;
};
