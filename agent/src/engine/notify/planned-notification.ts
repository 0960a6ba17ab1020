import type { NotificationKind } from "@realmwatch/shared/model/notification";
import type { StateType, Status } from "@realmwatch/shared/model/status";
import type { Author } from "../author.ts";

/** A message that is to go out, to each of `contacts`. Who carries it out makes it a `Notification` each. */
export type PlannedNotification = {
  readonly kind: NotificationKind;
  readonly contacts: readonly string[];
  readonly status: Status;
  /** What the receivers knew before. */
  readonly previousStatus: Status;
  readonly stateType: StateType;
  readonly level: number;
  /** From 1 among the messages about the problem; 0 for what is about none. */
  readonly number: number;
  /** Number the object's problems and messages since then: with the object they are a message's identity. */
  readonly countedFromMs: number;
  readonly problem: number;
  readonly message: number;
  readonly by: Author;
  readonly comment: string;
};
