import type { NotificationDecision } from "@realmwatch/shared/model/notification";
import { formatInstant } from "@realmwatch/shared/text/instant";
import { isPeriodReason, reasonClause } from "@realmwatch/shared/view/decision-reason";

/** Describes a decision of a route as the end of a sentence. */
export function describeDecision({ reason, name, untilMs }: NotificationDecision): string {
  // A route follows a problem through all levels, so one that is not due by then never is.
  if (reason === "not_due") return "its level is never reached";
  const text = reasonClause(reason, name === "" ? "" : ` ${JSON.stringify(name)}`) ?? reason;
  if (untilMs !== undefined) return `${text} until ${formatInstant(untilMs)}`;
  return isPeriodReason(reason) ? `${text} and never opens` : text;
}
