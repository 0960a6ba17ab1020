import { never } from "@realmwatch/shared/model/never";
import type { NotificationDecision } from "@realmwatch/shared/model/notification";
import { formatInstant } from "@realmwatch/shared/text/instant";

/** Describes a decision as the end of a sentence. */
export function describeDecision({ reason, name, untilMs }: NotificationDecision): string {
  const until = untilMs === undefined ? "" : ` until ${formatInstant(untilMs)}`;
  const named = name === "" ? "" : ` ${JSON.stringify(name)}`;
  const closed = untilMs === undefined ? " and never opens" : until;
  switch (reason) {
    case "decided":
      return "decided";
    case "program_off":
      return "notifications of the realm are off";
    case "object_off":
      return "notifications of the object are off";
    case "no_policy":
      return "the object has no notification policy";
    case "no_problem":
      return "there is no problem";
    case "soft":
      return "the problem is soft";
    case "unreachable":
      return `the object is unreachable behind${named}`;
    case "host_down":
      return `its host${named} is down`;
    case "host_check_awaited":
      return `waits for an on-demand check of its host${until}`;
    case "acknowledged":
      return `acknowledged by${named}${until}`;
    case "dependency":
      return `dependency${named} failed${until}`;
    case "flapping":
      return "the object is flapping";
    case "problem_not_notified":
      return "no contact was notified of the problem";
    case "downtime":
      return `downtime${named}${until}`;
    case "policy_period":
      return `the policy's period${named} is closed${closed}`;
    case "level_period":
      return `the level's period${named} is closed${closed}`;
    case "contact_off":
      return `notifications of contact${named} are off, or it does not exist`;
    case "contact_period":
      return `its period${named} is closed${closed}`;
    case "kind_disabled":
      return "the level has this kind disabled";
    case "not_due":
      return "its level is never reached";
    case "digest":
      return "problem and recovery cancelled out in one digest";
    default:
      return never(reason);
  }
}
