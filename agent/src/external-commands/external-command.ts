import type { ObjectToggle, ProgramToggle } from "@realmwatch/shared/model/toggles";

/** Objects that a line names: a host, one of its services, or all of its services. */
export type CommandTargets =
  | { readonly kind: "host"; readonly host: string }
  | { readonly kind: "service"; readonly host: string; readonly service: string }
  | { readonly kind: "services"; readonly host: string };
export type CommandTarget = Exclude<CommandTargets, { kind: "services" }>;

/** Arguments of a downtime command beside its objects. Instants are Unix ms, durations ms. */
export type DowntimeArguments = {
  readonly startMs: number;
  readonly endMs: number;
  readonly fixed: boolean;
  /** Id of the triggering downtime; `0` or empty for none. */
  readonly trigger: string;
  readonly durationMs: number;
  readonly author: string;
  readonly comment: string;
};

/** Parsed line of the command file. The objects that it names need not exist. */
export type ExternalCommand =
  | { readonly kind: "result"; readonly object: CommandTarget; readonly code: number; readonly output: string }
  | {
      readonly kind: "acknowledge";
      readonly object: CommandTarget;
      readonly sticky: boolean;
      readonly notify: boolean;
      readonly expiresAtMs?: number;
      readonly author: string;
      readonly comment: string;
    }
  | { readonly kind: "remove_acknowledgement"; readonly object: CommandTarget }
  | ({
      readonly kind: "downtime";
      readonly objects: CommandTargets;
      /** Downtimes of hosts that are reached through this one: none, at the same time, or triggered by its downtime. */
      readonly children: "none" | "same" | "triggered";
    } & DowntimeArguments)
  | { readonly kind: "delete_downtime"; readonly of: "host" | "service"; readonly id: string }
  | {
      readonly kind: "delete_downtimes";
      /** Criteria; absent ones match everything. */
      readonly host?: string;
      readonly service?: string;
      readonly startMs?: number;
      readonly comment?: string;
    }
  | { readonly kind: "add_comment"; readonly object: CommandTarget; readonly author: string; readonly text: string }
  | { readonly kind: "delete_comment"; readonly of: "host" | "service"; readonly id: string }
  | { readonly kind: "delete_comments"; readonly object: CommandTarget }
  | { readonly kind: "notify"; readonly object: CommandTarget; readonly author: string; readonly comment: string }
  | { readonly kind: "check"; readonly objects: CommandTargets; readonly forced: boolean }
  | {
      readonly kind: "object_toggle";
      readonly objects: CommandTargets;
      readonly toggle: ObjectToggle | "notifications";
      readonly enabled: boolean;
    }
  | { readonly kind: "program_toggle"; readonly toggle: ProgramToggle | "notifications"; readonly enabled: boolean }
  | { readonly kind: "contact_toggle"; readonly contact: string; readonly enabled: boolean };
