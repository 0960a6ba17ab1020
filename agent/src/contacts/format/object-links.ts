import type { Notification } from "@realmwatch/shared/model/notification";
import { type ObjectKey, refOf } from "@realmwatch/shared/model/object-key";
import { isProblem } from "@realmwatch/shared/model/status";
import type { MessageOrigin } from "../contact-message.ts";

/** True for a notification that a problem exists or has changed. */
export const isProblemKind = ({ kind }: Pick<Notification, "kind">): boolean =>
  kind === "PROBLEM" || kind === "STATUS_CHANGE";

/** True when the recipient can acknowledge the problem of the notification. */
export const isAcknowledgeable = (notification: Pick<Notification, "kind" | "status">): boolean =>
  isProblemKind(notification) && isProblem(notification.status);

/** URL of the object's page in the dashboard; empty when the URL of the dashboard is not set. */
export function objectPageUrl(key: ObjectKey, { realm, publicUrl }: MessageOrigin): string {
  if (publicUrl === undefined) return "";
  const names = key.kind === "service" ? [key.host, key.name] : [key.kind === "process" ? refOf(key) : key.name];
  return [`${publicUrl}/o`, ...[realm, ...names].map((name) => encodeURIComponent(name.toWellFormed()))].join("/");
}

/**
 * [DL30] URL that opens the dialog to acknowledge the problem: with the signed link of the problem, or with the time of
 * the notification where links are not signed. Empty without a problem or a dashboard.
 */
export function acknowledgeUrl(notification: Notification, origin: MessageOrigin): string {
  const page = objectPageUrl(notification.key, origin);
  if (page === "" || !isAcknowledgeable(notification)) return "";
  const token = origin.problemLinks?.get(notification.id);
  return `${page}?ack=${token ?? Math.floor(notification.atMs / 1_000)}`;
}
