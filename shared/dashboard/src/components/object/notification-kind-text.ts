import { NotificationKind } from "@realmwatch/proto/svc/v1/common_pb";

const kindNames = new Map<number, string>(Object.entries(NotificationKind).map(([name, kind]) => [kind, name]));

/** Kind of a notification in lower case: `status change`. */
export const notificationKindText = (kind: NotificationKind): string =>
  (kindNames.get(kind) ?? "").replaceAll("_", " ").toLowerCase();
