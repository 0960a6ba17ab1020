import { labelsField, periodField } from "../parser/names.ts";
import { duration, tenSecondsOrMore } from "../parser/numbers.ts";
import { string } from "../parser/scalars.ts";
import { problemStatusNamesList } from "../parser/status-names.ts";
import { optional, plannedTypes, struct, withDefault } from "../parser/structs.ts";

/** Fields that contacts of every kind have. */
const commonFields = {
  labels: labelsField({ help: "Labels of the contact.", example: { team: "shop" } }),
  notification_period: periodField(
    "Period in which the contact is notified; empty: always. Other notifications wait until the period opens.",
    "waking-hours",
  ),
  statuses: optional(problemStatusNamesList, {
    help: "Statuses of which the contact is sent problems and changes, at every level; absent: all. A host that is down is `CRITICAL`.",
    example: ["CRITICAL"],
  }),
  fallback: withDefault(string, "", {
    help: "Contact that is notified too when this one takes no notification for `fallback_after`; empty: none.",
    example: "on call",
    constraint: "a key of `contacts`, no cycle",
  }),
  fallback_after: withDefault(tenSecondsOrMore, 300_000, {
    help: "Time from a decision until its notification goes to the fallback too; after `group_wait`, if there is one.",
    example: "2m",
  }),
};

const heartbeat = struct(
  {
    interval: withDefault(tenSecondsOrMore, 60_000, { help: "Time between two heartbeats.", example: "30s" }),
  },
  {
    title: "Heartbeat",
    intro: `Messages of kind \`HEARTBEAT\` while the agent works, so that a service outside of it can notice its absence: a
dead man's switch. There are none while the agent or its journal is stuck.`,
  },
);

/** Field of the kinds that can send heartbeats. */
export const heartbeatField = {
  heartbeat: optional(heartbeat, { help: "Sends heartbeats to this contact.", example: { interval: "1m" } }),
};

const digestFields = {
  ...commonFields,
  group_wait: withDefault(duration, 0, {
    help: "Time for which notifications are gathered into one message; `0s`: each is sent at once.",
    example: "30s",
  }),
};

/** Declares a kind that sends each notification on its own. */
export const contactKind = plannedTypes(commonFields);
/** Declares a kind that gathers notifications into digests: adds the field `group_wait`. */
export const digestContactKind = plannedTypes(digestFields);
