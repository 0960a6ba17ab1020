/** [SH16] Reasons of differences that are by design: neither a fault nor the configuration causes them. */
const reasons = {
  soft_again:
    "a problem that turned hard behind a host that was down has another status now: Nagios counts its attempts again, the agent leaves it hard",
  hard_behind_host:
    "the host is down: the agent makes the first problem of a service hard, Icinga 2 goes on counting its attempts",
  soft_parent:
    "the parents are down and soft: the host is unreachable for the agent, Icinga 2 ignores soft states of parents",
  repetition: "the agent repeats a notification when its interval is over, Nagios with the first result after that",
} as const;

export type DesignReason = keyof typeof reasons;

/** Number of differences that have the same reason. */
export type DesignCount = { readonly reason: DesignReason; readonly count: number; readonly why: string };

/** Counts with their sentences; those of reasons that did not occur are left out. */
export const designCounts = (counts: Readonly<Record<DesignReason, number>>): readonly DesignCount[] =>
  (Object.keys(reasons) as DesignReason[])
    .map((reason) => ({ reason, count: counts[reason], why: reasons[reason] }))
    .filter(({ count }) => count > 0);
