import { createHash } from "node:crypto";
import type { Notification } from "@realmwatch/shared/model/notification";
import { refOf } from "@realmwatch/shared/model/object-key";
import type { MessageOrigin } from "../contact-message.ts";

/** What services that keep alerts of their own file a notification under. */
export type AlertSubject = "problem" | "flapping" | "message";

/**
 * [DL10] The key of an alert, at most 80 characters: one for everything about a problem, its recovery included; one for
 * an object's flapping; one for each message that is about neither.
 */
export function alertKey(of: AlertSubject, { id, key, problemId }: Notification, { realm }: MessageOrigin): string {
  const parts = {
    problem: ["problem", realm, refOf(key), problemId],
    flapping: ["flapping", realm, refOf(key)],
    message: ["message", realm, id],
  }[of];
  return `realmwatch-${of}-${createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 40)}`;
}
