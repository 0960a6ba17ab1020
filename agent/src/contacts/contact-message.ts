import type { Notification } from "@realmwatch/shared/model/notification";

/** What leaves at once: one notification, or several as a digest. */
export type ContactMessage = {
  /** The same for every attempt, also after a crash. */
  readonly id: string;
  /** At least one; those of a digest are in the order in which they are shown. */
  readonly notifications: readonly Notification[];
};

/** What every message says beside what happened. */
export type MessageOrigin = {
  readonly realm: string;
  /** Where people reach the dashboard, without a slash at the end; `undefined`: messages have no links. */
  readonly publicUrl: string | undefined;
};
