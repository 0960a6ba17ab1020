import type { Notification } from "@realmwatch/shared/model/notification";
import { type AttemptResult, delivered } from "../attempt-result.ts";
import type { ContactMessage } from "../contact-message.ts";

/**
 * For types without digests: one after the other until one fails. There is more than one only where a contact changed
 * its type while a digest waited.
 */
export async function sendEachNotification(
  { notifications }: ContactMessage,
  sendOne: (notification: Notification) => Promise<AttemptResult>,
): Promise<AttemptResult> {
  for (const notification of notifications) {
    const attempt = await sendOne(notification);
    if (attempt.kind !== "delivered") return attempt;
  }
  return delivered;
}
