import type { StatusRow } from "@realmwatch/proto/svc/v1/query_pb";
import type { NotificationReason } from "@realmwatch/shared/model/notification";

/** Deciding rule of `docs/rules`, and what has to change for a notification; without a full stop. */
type Remedy = { readonly rule: string; readonly change: string };

const remedies: Readonly<Record<Exclude<NotificationReason, "decided">, Remedy>> = {
  program_off: {
    rule: "NO20",
    change: "notifications of the realm have to be enabled: `realmwatch toggle program notifications on`",
  },
  object_off: {
    rule: "NO20",
    change: "notifications of the object have to be enabled: `realmwatch toggle object notifications on`",
  },
  no_policy: { rule: "NO1", change: "the configuration has to give the object a `notification` policy" },
  no_problem: { rule: "NO15", change: "the object has to be in a problem" },
  soft: { rule: "NO3", change: "further checks have to confirm the problem, up to `max_attempts`" },
  unreachable: { rule: "NO4", change: "a parent has to be up again, and the object still in a problem" },
  host_down: { rule: "NO5", change: "the host has to be up, and a later result of the service still a problem" },
  host_check_awaited: { rule: "NO6", change: "a check of the host has to end, or its timeout to pass" },
  acknowledged: { rule: "NO17", change: "the acknowledgement has to be removed or to expire, or the status to change" },
  dependency: { rule: "NO21", change: "the dependency has to hold again, or be removed from the configuration" },
  flapping: { rule: "NO16", change: "the object has to stop flapping, and the next result to confirm its state" },
  problem_not_notified: { rule: "NO14", change: "nothing: the end of a problem is news only to its recipients" },
  downtime: { rule: "NO18", change: "the downtime has to end or be deleted, while the state still holds" },
  policy_period: { rule: "NO19", change: "the timeperiod of the policy has to open, while the state still holds" },
  not_due: { rule: "NO7", change: "the time of the next notification has to come" },
  level_period: {
    rule: "NO19",
    change: "the timeperiod of the escalation level has to open, while the state still holds",
  },
  contact_off: {
    rule: "NO12",
    change: "the mute of the contact has to end or to be undone: `realmwatch toggle contact`",
  },
  kind_disabled: {
    rule: "NO8",
    change:
      "the kind must not be in `disabled_kinds` of the level when it is due: at a change, a repetition, the next problem",
  },
  status_not_selected: {
    rule: "NO28",
    change:
      "the status must be in `statuses` of the level and of a contact when it is due: at a change, a repetition, the next problem",
  },
  contact_period: { rule: "NO13", change: "the timeperiod of the contact has to open, while the state still holds" },
  digest: { rule: "DL5", change: "nothing: problem and recovery cancelled out before they were sent" },
};

/** A sticky acknowledgement outlasts changes of the status. */
const stickyRemedy: Remedy = {
  rule: "NO17",
  change: "the acknowledgement has to be removed or to expire, or the problem to end",
};

/**
 * Remedy for a reason; undefined when nothing is suppressed, or for a reason of a newer server.
 *
 * @param row of the object, for what depends on its acknowledgement
 */
export function remedyFor(reason: string, row?: Pick<StatusRow, "acknowledgement">): Remedy | undefined {
  if (reason === "acknowledged" && row?.acknowledgement?.sticky === true) return stickyRemedy;
  return Object.hasOwn(remedies, reason) ? remedies[reason as keyof typeof remedies] : undefined;
}
