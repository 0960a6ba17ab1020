import type { Because } from "@realmwatch/proto/svc/v1/common_pb";
import { capital } from "@realmwatch/shared/view/capital";
import { isPeriodReason, reasonClause } from "@realmwatch/shared/view/decision-reason";

const quoted = (name: string): string => (name === "" ? "" : ` “${name}”`);

/** Names the downtime only if it is recurring or that of the service's host: other names are internal ids. */
function downtimeText(name: string, host: string | undefined): string {
  if (name.startsWith(recurringPrefix)) return `In the recurring downtime${quoted(name.slice(recurringPrefix.length))}`;
  return host !== undefined && name === host ? `Its host${quoted(name)} is in downtime` : "In downtime";
}

const recurringPrefix = "recurring:";

/**
 * Describes a notification decision as a sentence without full stop. A reason of a newer server is displayed as its
 * enum value.
 *
 * @param host of the service that the decision is about
 */
export function describeReason({ reason, name }: Pick<Because, "reason" | "name">, host?: string): string {
  if (reason === "downtime") return downtimeText(name, host);
  const clause = reasonClause(reason, quoted(name));
  return clause === undefined ? `${reason.replaceAll("_", " ")}${quoted(name)}` : capital(clause);
}

/** Label before a reason's end time: a closed period opens at that time, other reasons last until then. */
export function untilLabel(reason: string): string {
  if (isPeriodReason(reason)) return "opens";
  return reason === "host_check_awaited" ? "at most until" : "until";
}
