import type { StatusRow } from "@realmwatch/proto/svc/v1/query_pb";

const names = {
  notificationsEnabled: "notifications",
  activeChecksEnabled: "active checks",
  passiveChecksEnabled: "passive checks",
  eventHandlerEnabled: "event handler",
  flapDetectionEnabled: "flap detection",
} as const satisfies Partial<Record<keyof StatusRow, string>>;

type Switch = keyof typeof names;

/** Names of the features that are turned off for the object of a row. */
export const disabledFeatures = (row: Pick<StatusRow, Switch>): readonly string[] =>
  (Object.keys(names) as Switch[]).filter((field) => row[field] === false).map((field) => names[field]);
