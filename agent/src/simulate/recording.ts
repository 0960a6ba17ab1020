import type { AcceptedCommand, Command } from "@realmwatch/shared/commands/commands";
import type { Notification } from "@realmwatch/shared/model/notification";
import type { StateType, Status } from "@realmwatch/shared/model/status";
import type { ObjectInput } from "../engine/input.ts";
import type { ObjectState } from "../engine/state/object-state.ts";
import type { ProgramState } from "../realm/state/program-state.ts";

/** A recorded change of state: the result of a check or a submitted result. */
export type RecordedState = {
  readonly kind: "state";
  readonly atMs: number;
  readonly ref: string;
  readonly status: Exclude<Status, "pending">;
  readonly previousStatus: Status;
  readonly stateType: StateType;
  /** Effect of the same result on flapping. */
  flap: "start" | "stop" | undefined;
};

/** External event of a realm, restored from history. Times are Unix ms. */
export type RecordedEvent =
  | RecordedState
  /** Flapping that started or stopped with a result without a change of state. */
  | { readonly kind: "flap"; readonly atMs: number; readonly ref: string; readonly flap: "start" | "stop" }
  | { readonly kind: "input"; readonly atMs: number; readonly ref: string; readonly input: ObjectInput }
  | { readonly kind: "command"; readonly atMs: number; readonly accepted: AcceptedCommand };

/** A recorded or simulated notification, with the fields by which the two are compared. */
export type NotificationSummary = Pick<Notification, "atMs" | "contact" | "kind" | "status" | "level"> & {
  readonly ref: string;
};

/** A span of a realm's history, with the state at its start. Times are Unix ms. */
export type Recording = {
  readonly realm: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** In the order of history. */
  readonly events: readonly RecordedEvent[];
  /** Recorded notifications. */
  readonly sent: readonly NotificationSummary[];
  readonly states: ReadonlyMap<string, ObjectState>;
  readonly program: ProgramState;
  readonly notes: RecordingNotes;
};

/** Facts that make a replay of the span less exact. */
type RecordingNotes = {
  /** Number of configuration changes in the span. */
  readonly configurations: number;
  /** Number of gaps: lost or damaged history. */
  readonly gaps: number;
  /** False when history begins within the requested span. */
  readonly reached: boolean;
};

/** An accepted command for an event that is known from history only. */
export const acceptedCommandAt = (atMs: number, command: Command): AcceptedCommand => ({
  ...{ seq: 0, atMs, author: "", onBehalfOf: "" },
  command,
});
