import type { Notification } from "@realmwatch/shared/model/notification";

/** Unit of delivery to a contact: one notification, or several as a digest. */
export type ContactMessage = {
  /** Same for every attempt, also after a crash. */
  readonly id: string;
  /** At least one; those of a digest are in the order in which they are shown. */
  readonly notifications: readonly Notification[];
};

/** Marks a notification: an earlier attempt to send it may have arrived. */
export const markedNotification = (notification: Notification): Notification => ({
  ...notification,
  possibleDuplicate: true,
});

/** Marks all notifications of a message. */
export const markPossibleDuplicate = ({ id, notifications }: ContactMessage): ContactMessage => ({
  id,
  notifications: notifications.map(markedNotification),
});

/** Origin that every message names. */
export type MessageOrigin = {
  readonly realm: string;
  /** URL of the dashboard, without a trailing slash; undefined when messages have no links. */
  readonly publicUrl: string | undefined;
  /** Signed links of problems by notification id; undefined when links are not signed. */
  readonly problemLinks?: ReadonlyMap<string, string>;
};
