import { notificationKinds } from "../../model/notification.ts";
import { periodField } from "../parser/names.ts";
import { duration, integer } from "../parser/numbers.ts";
import { picklist, string } from "../parser/scalars.ts";
import { problemStatusNames, problemStatusNamesList } from "../parser/status-names.ts";
import { list, map, required, struct, withDefault } from "../parser/structs.ts";

const level = struct(
  {
    contacts: required(list(string, { nonEmpty: true }), {
      help: "Recipients at this level.",
      example: ["ann", "bea"],
      constraint: "each a key of `contacts`",
    }),
    threshold: withDefault(integer({ min: 0 }), 0, {
      help: "Number of notifications at this level after which the next level takes over; 0: never. Ignored for the last level.",
      example: 2,
    }),
    renotify_interval: withDefault(duration, 3_600_000, {
      help: "Time until the notification of a problem that persists is repeated; `0s`: never.",
      example: "30m",
    }),
    disabled_kinds: withDefault(list(picklist(notificationKinds)), [], {
      help: "Kinds of notification that this level does not send.",
      example: ["DOWNTIME_START", "DOWNTIME_END"],
    }),
    statuses: withDefault(problemStatusNamesList, problemStatusNames, {
      help: "Statuses of which this level sends problems and changes; a host that is down is `CRITICAL`. A status that is not listed counts as notified, and does not advance the escalation.",
      example: ["CRITICAL"],
    }),
    period: periodField(
      "Period in which this level notifies; empty: always. Outside it, a problem waits at this level and does not skip it.",
    ),
  },
  {
    title: "Escalation level",
    intro: `One step of a policy. A problem starts at the first level; after \`threshold\` notifications the next level takes over. A
recovery is sent to all recipients that were notified of the problem, at any level.`,
    example: `hosts: {}
contacts: {ann: {type: "email", address: "ann@example.org"}, boss: {type: "email", address: "boss@example.org"}}
notifications: shop: levels: [
	// Ann twice, half an hour apart, then the boss every two hours.
	{contacts: ["ann"], threshold: 2, renotify_interval: "30m"},
	{contacts: ["boss"], renotify_interval: "2h", disabled_kinds: ["DOWNTIME_START", "DOWNTIME_END"]},
]`,
  },
);

const policy = struct(
  {
    period: periodField(
      "Period in which the policy notifies; empty: always. Other notifications wait until the period opens.",
    ),
    levels: required(list(level, { nonEmpty: true }), { help: "Escalation levels in order." }),
  },
  {
    title: "Notification policy",
    intro: `Recipients of notifications of hard problems, their hours and their escalation. An object without a policy never notifies.
[\`-lint\` warns](warnings.md) of hours in which a policy reaches no recipient.`,
    example: `hosts: web1: {address: "192.0.2.10", notification: "shop", check: {type: "icmp", host: "192.0.2.10", flap: {}}}
contacts: ann: {type: "email", address: "ann@example.org"}
notifications: shop: {period: "office-hours", levels: [{contacts: ["ann"]}]}
timeperiods: "office-hours": ranges: {for day in ["monday", "tuesday", "wednesday", "thursday", "friday"] {"\\(day)": "09:00-17:00"}}`,
  },
);

export const policiesParser = map(policy);
