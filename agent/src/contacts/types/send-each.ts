import type { Notification } from "@realmwatch/shared/model/notification";
import { type Attempt, delivered, type Message } from "../contact-type.ts";

/**
 * For types without digests: one after the other until one fails. There is more than one only where a contact changed
 * its type while a digest waited.
 */
export async function sendEach(
  { notifications }: Message,
  sendOne: (notification: Notification) => Promise<Attempt>,
): Promise<Attempt> {
  for (const notification of notifications) {
    const attempt = await sendOne(notification);
    if (attempt.kind !== "delivered") return attempt;
  }
  return delivered;
}
