import { createHash } from "node:crypto";
import type { Notification, NotificationKind } from "@realmwatch/shared/model/notification";
import { refOf } from "@realmwatch/shared/model/object-key";
import { isProblem } from "@realmwatch/shared/model/status";
import type { ContactMessage } from "../contact-message.ts";

/** Largest digest, in notifications and in characters of output; more makes another digest. */
const maxInDigest = 250;
const maxTextInDigest = 512 * 1024;

/** Kinds that are obsolete once their problem is over. */
const problemKinds: ReadonlySet<NotificationKind> = new Set(["PROBLEM", "STATUS_CHANGE", "ACKNOWLEDGEMENT"]);

type DigestSelection = {
  /** Notifications about problems that began and ended within the window: they are not sent. */
  readonly cancelled: readonly Notification[];
  readonly remaining: readonly Notification[];
};

/**
 * [DL5] Cancels all notifications about problems that began and ended within one window. A problem whose first
 * notification was sent before the window is not cancelled: its recipient is notified of the recovery too.
 */
export function cancelResolvedProblems(gathered: readonly Notification[]): DigestSelection {
  const resolved = new Set<string>();
  const begun = new Set<string>();
  for (const { kind, number, problemId } of gathered) {
    if (kind === "PROBLEM" && number <= 1) begun.add(problemId);
    else if (kind === "RECOVERY" && begun.has(problemId)) resolved.add(problemId);
  }
  const cancelled: Notification[] = [];
  const remaining: Notification[] = [];
  for (const notification of gathered) {
    const { kind, problemId } = notification;
    const isObsolete = resolved.has(problemId) && (kind === "RECOVERY" || problemKinds.has(kind));
    (isObsolete ? cancelled : remaining).push(notification);
  }
  return { cancelled, remaining };
}

/**
 * [DL4] Sorts problems first, then the rest, both grouped by host in the order in which the hosts first appear.
 * Notifications about one object stay together and in order, so that the last one is the current state.
 */
export function sortForDigest(notifications: readonly Notification[]): Notification[] {
  const byObject = Map.groupBy(notifications, ({ key }) => refOf(key));
  const objects = [...byObject.values()];
  const endsInProblem = (group: readonly Notification[]): boolean => isProblem(group.at(-1)?.status ?? "ok");
  const byHost = (groups: readonly Notification[][]): Notification[][] =>
    [...Map.groupBy(groups, ([one]) => hostOf(one)).values()].flat();
  return [...byHost(objects.filter(endsInProblem)), ...byHost(objects.filter((group) => !endsInProblem(group)))].flat();
}

/** Host of an object; processes are a group of their own. */
function hostOf(notification: Notification | undefined): string {
  if (notification === undefined || notification.key.kind === "process") return "";
  return notification.key.kind === "service" ? notification.key.host : notification.key.name;
}

/** Packs notifications, in their order, into the fewest messages that the limits allow. */
export function splitIntoDigests(notifications: readonly Notification[]): ContactMessage[] {
  const digests: Notification[][] = [];
  let text = 0;
  for (const notification of notifications) {
    const length = notification.output.length + notification.longOutput.length;
    const open = digests.at(-1);
    if (open === undefined || open.length >= maxInDigest || text + length > maxTextInDigest) {
      digests.push([notification]);
      text = length;
    } else {
      open.push(notification);
      text += length;
    }
  }
  return digests.map(toContactMessage);
}

/** [DL2] Message of the given notifications. Equal notifications always give an equal message id. */
export function toContactMessage(notifications: readonly Notification[]): ContactMessage {
  const [only] = notifications;
  if (only !== undefined && notifications.length === 1) return { id: only.id, notifications };
  const hash = createHash("sha256");
  for (const { id } of notifications) hash.update(`${id}\n`);
  return { id: `digest-${hash.digest("hex").slice(0, 32)}`, notifications };
}
