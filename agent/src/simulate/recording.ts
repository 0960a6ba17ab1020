import type { AcceptedCommand, Command } from "@realmwatch/shared/model/command";
import type { StateType, Status } from "@realmwatch/shared/model/status";
import type { ProgramToggles } from "@realmwatch/shared/model/toggles";
import type { ObjectInput } from "../engine/input.ts";
import type { ObjectState } from "../engine/state/object-state.ts";
import type { ProgramState } from "../realm/state/program-state.ts";
import type { NotificationSummary } from "./notification-summary.ts";

/** A change of state as it was recorded: what a check or a sender said, at least since then. */
export type RecordedState = {
  readonly kind: "state";
  readonly atMs: number;
  readonly ref: string;
  readonly status: Exclude<Status, "pending">;
  readonly previousStatus: Status;
  readonly stateType: StateType;
  /** What the same result did to flapping. */
  flap: "start" | "stop" | undefined;
};

/** What happened to a realm from outside, as far as its history says so. Instants are Unix ms. */
export type RecordedEvent =
  | RecordedState
  /** Flapping that began or ended with a result that changed nothing else. */
  | { readonly kind: "flap"; readonly atMs: number; readonly ref: string; readonly flap: "start" | "stop" }
  | { readonly kind: "input"; readonly atMs: number; readonly ref: string; readonly input: ObjectInput }
  | { readonly kind: "command"; readonly atMs: number; readonly accepted: AcceptedCommand };

/** A span of a realm's history, with what held at its beginning. Instants are Unix ms. */
export type Recording = {
  readonly realm: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** In the order in which they happened. */
  readonly events: readonly RecordedEvent[];
  /** The notifications that were decided on. */
  readonly sent: readonly NotificationSummary[];
  readonly states: ReadonlyMap<string, ObjectState>;
  readonly program: ProgramState;
  readonly notes: RecordingNotes;
};

/** What makes a rehearsal of the span less exact. */
export type RecordingNotes = {
  /** How often the configuration became another one. */
  readonly configurations: number;
  /** Records of lost history, damaged ones included. */
  readonly gaps: number;
  /** False where history begins within the span that was asked for. */
  readonly reached: boolean;
};

/** The command of one who is known from history only. */
export const acceptedCommandAt = (atMs: number, command: Command): AcceptedCommand => ({
  ...{ seq: 0, atMs, author: "", onBehalfOf: "" },
  command,
});

export const programToggles: readonly (keyof ProgramToggles)[] = [
  "notifications",
  "activeChecks",
  "passiveChecks",
  "eventHandlers",
  "flapDetection",
];
