import { notificationKinds } from "../../model/notification.ts";
import { duration, integer } from "../parser/numbers.ts";
import { picklist, string } from "../parser/scalars.ts";
import { list, map, required, struct, withDefault } from "../parser/structs.ts";

const level = struct(
  {
    contacts: required(list(string, { nonEmpty: true }), {
      help: "Who is told at this level.",
      example: ["ann", "bea"],
      constraint: "each a key of `contacts`",
    }),
    threshold: withDefault(integer({ min: 0 }), 0, {
      help: "After how many notifications of this level the next one is told; 0: never. The last level's means nothing.",
      example: 2,
    }),
    renotify_interval: withDefault(duration, 3_600_000, {
      help: "How long until a problem that holds is told of again; `0s`: never again.",
      example: "30m",
    }),
    disabled_kinds: withDefault(list(picklist(notificationKinds)), [], {
      help: "Kinds of notification that this level does not send.",
      example: ["DOWNTIME_START", "DOWNTIME_END"],
    }),
    period: withDefault(string, "", {
      help: "When this level is open; empty: always. A problem waits at a closed level, it does not skip it.",
      example: "office-hours",
      constraint: "a key of `timeperiods`",
    }),
  },
  {
    title: "Escalation level",
    intro: `One step of a policy. A problem begins at the first level; after \`threshold\` notifications the next one takes over. A
recovery goes to everybody who was told of the problem, at whatever level.`,
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
    period: withDefault(string, "", {
      help: "When the policy tells anybody; empty: always. What comes outside waits for the opening.",
      example: "office-hours",
      constraint: "a key of `timeperiods`",
    }),
    levels: required(list(level, { nonEmpty: true }), { help: "The steps, the first one first." }),
  },
  {
    title: "Notification policy",
    intro: `Who is told of an object's hard problems, when, and who after that. An object without a policy tells nobody. Hours
in which a policy reaches nobody are among [what \`-lint\` warns of](warnings.md).`,
    example: `hosts: web1: {address: "192.0.2.10", notification: "shop", check: {type: "icmp", host: "192.0.2.10", flap: {}}}
contacts: ann: {type: "email", address: "ann@example.org"}
notifications: shop: {period: "office-hours", levels: [{contacts: ["ann"]}]}
timeperiods: "office-hours": ranges: {for day in ["monday", "tuesday", "wednesday", "thursday", "friday"] {"\\(day)": "09:00-17:00"}}`,
  },
);

export const policiesParser = map(policy);
