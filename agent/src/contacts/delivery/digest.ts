import { createHash } from "node:crypto";
import type { Notification, NotificationKind } from "@realmwatch/shared/model/notification";
import { refOf } from "@realmwatch/shared/model/object-key";
import { isProblem } from "@realmwatch/shared/model/status";
import type { ContactMessage } from "../contact-message.ts";

/** What one digest holds at most; more makes another one. Texts are counted in characters. */
const maxInDigest = 250;
const maxTextInDigest = 512 * 1024;

/** What is about a problem and has nothing to say once it is over. */
const aboutProblem: ReadonlySet<NotificationKind> = new Set(["PROBLEM", "STATUS_CHANGE", "ACKNOWLEDGEMENT"]);

export type DigestSelection = {
  /** Problems that came and went within the window: nobody needs to hear of them. */
  readonly cancelled: readonly Notification[];
  readonly kept: readonly Notification[];
};

/**
 * [DL5] Takes out problems that began and ended within one window, with everything that was to be said of them. A
 * problem whose first message left earlier is not among them: who heard of it hears of its end.
 */
export function cancelResolvedProblems(gathered: readonly Notification[]): DigestSelection {
  const over = new Set<string>();
  const begun = new Set<string>();
  for (const { kind, number, problemId } of gathered) {
    if (kind === "PROBLEM" && number <= 1) begun.add(problemId);
    else if (kind === "RECOVERY" && begun.has(problemId)) over.add(problemId);
  }
  const cancelled: Notification[] = [];
  const kept: Notification[] = [];
  for (const notification of gathered) {
    const { kind, problemId } = notification;
    const gone = over.has(problemId) && (kind === "RECOVERY" || aboutProblem.has(kind));
    (gone ? cancelled : kept).push(notification);
  }
  return { cancelled, kept };
}

/**
 * [DL4] What is bad first, then the rest, both grouped by host in the order in which the hosts came. What is about one
 * object stays together and in order: whoever reads top down ends with what holds.
 */
export function sortForDigest(notifications: readonly Notification[]): Notification[] {
  const byObject = Map.groupBy(notifications, ({ key }) => refOf(key));
  const objects = [...byObject.values()];
  const isBad = (told: readonly Notification[]): boolean => isProblem(told.at(-1)?.status ?? "ok");
  const byHost = (told: readonly Notification[][]): Notification[][] =>
    [...Map.groupBy(told, ([one]) => hostOf(one)).values()].flat();
  return [...byHost(objects.filter(isBad)), ...byHost(objects.filter((told) => !isBad(told)))].flat();
}

/** The host of an object; processes are a group of their own. */
function hostOf(notification: Notification | undefined): string {
  if (notification === undefined || notification.key.kind === "process") return "";
  return notification.key.kind === "service" ? notification.key.host : notification.key.name;
}

/** The notifications as few messages as the limits allow, in their order. */
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

/** [DL2] A message of these. The same ones have the same id, whenever they are put together. */
export function toContactMessage(notifications: readonly Notification[]): ContactMessage {
  const [only] = notifications;
  if (only !== undefined && notifications.length === 1) return { id: only.id, notifications };
  const hash = createHash("sha256");
  for (const { id } of notifications) hash.update(`${id}\n`);
  return { id: `digest-${hash.digest("hex").slice(0, 32)}`, notifications };
}
