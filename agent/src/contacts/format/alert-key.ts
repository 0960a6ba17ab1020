import { createHash } from "node:crypto";
import type { Notification } from "@realmwatch/shared/model/notification";
import { refOf } from "@realmwatch/shared/model/object-key";
import type { MessageOrigin } from "../contact-message.ts";

/** Subject of an alert in a service that stores alerts; `message` for notifications about neither of the others. */
export type AlertSubject = "problem" | "flapping" | "message";

/**
 * [DL10] Deduplication key of an alert, at most 80 characters: one for a problem and its recovery, one for the flapping
 * of an object, one for each notification about neither.
 */
export function alertKey(
  subject: AlertSubject,
  { id, key, problemId }: Notification,
  { realm }: MessageOrigin,
): string {
  const parts = {
    problem: ["problem", realm, refOf(key), problemId],
    flapping: ["flapping", realm, refOf(key)],
    message: ["message", realm, id],
  }[subject];
  return `realmwatch-${subject}-${createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 40)}`;
}
