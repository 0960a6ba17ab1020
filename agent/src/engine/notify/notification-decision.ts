import type { NotificationDecision, NotificationReason } from "@realmwatch/shared/model/notification";

export const notificationDecision = (
  reason: NotificationReason,
  name = "",
  untilMs?: number,
): NotificationDecision => ({ reason, name, untilMs });
