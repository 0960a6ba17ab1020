import type { Notification } from "@realmwatch/shared/model/notification";
import { type AttemptResult, delivered } from "../../platform/outbound/delivery-result.ts";
import type { ContactMessage } from "../contact-message.ts";

/**
 * Sends the notifications of a message one after the other until one fails, for contact types without digests. There is
 * more than one only when a contact changed its type while a digest was pending.
 */
export async function sendEachNotification(
  { notifications }: ContactMessage,
  sendOne: (notification: Notification) => Promise<AttemptResult>,
): Promise<AttemptResult> {
  for (const [before, notification] of notifications.entries()) {
    const result = await sendOne(notification);
    // The next attempt repeats those that were delivered.
    if (result.kind === "retry" && before > 0) return { ...result, mayHaveArrived: true };
    if (result.kind !== "delivered") return result;
  }
  return delivered;
}
