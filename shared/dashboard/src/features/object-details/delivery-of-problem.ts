import { NotificationKind } from "@realmwatch/proto/svc/v1/common_pb";
import type { NotificationDelivery, NotificationProgress } from "@realmwatch/proto/svc/v1/query_pb";

/** Kinds that a problem begins, changes and ends with. */
const stateKinds: readonly NotificationKind[] = [
  NotificationKind.PROBLEM,
  NotificationKind.STATUS_CHANGE,
  NotificationKind.RECOVERY,
];

/** True when a notification of the present problem was decided. Levels advance by notifications only. */
export const hasDecided = ({ level, sentAtLevel }: Pick<NotificationProgress, "level" | "sentAtLevel">): boolean =>
  level > 0 || sentAtLevel > 0;

/**
 * True when a delivery of an object with a problem is about an earlier problem: a row has its latest deliveries, and a
 * problem that no contact was notified of must not look like one that was.
 */
export const isOfEarlierProblem = (
  { kind }: Pick<NotificationDelivery, "kind">,
  progress: Pick<NotificationProgress, "level" | "sentAtLevel">,
): boolean => kind === NotificationKind.RECOVERY || (stateKinds.includes(kind) && !hasDecided(progress));
