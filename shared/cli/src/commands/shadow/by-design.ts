/** [SH16] Reasons of differences that are by design: neither a fault nor the configuration causes them. */
const reasons = {
  soft_again:
    "a problem that turned hard behind a host that was down has another status now: Nagios counts its attempts again, the agent leaves it hard",
  hard_behind_host:
    "the host is down: the agent makes the first problem of a service hard, Icinga 2 goes on counting its attempts",
  soft_parent:
    "the parents are down and soft: the host is unreachable for the agent, Icinga 2 ignores soft states of parents",
  ancestor:
    "a parent is up and one of its own parents is down: the host is unreachable for Icinga 2, the agent judges by its parents alone",
  passive_host:
    "Nagios takes the submitted status of a host, the agent judges by the parents whether the host is down or unreachable",
  passive_attempts: "Nagios makes a submitted problem of a host hard at once, the agent counts its attempts",
  unreachable_host: "Nagios notifies of a host that is unreachable, the agent of the parents that are down alone",
  repetition: "the agent repeats a notification when its interval is over, Nagios with the first result after that",
} as const;

export type DesignReason = keyof typeof reasons;

/** Reason of a difference between states. */
export type StateReason = Exclude<DesignReason, "repetition" | "unreachable_host">;

/** Numbers of differences by reason; absent: none. */
export type ReasonCounts = Readonly<Partial<Record<DesignReason, number>>>;

/** Number of differences that have the same reason. */
export type DesignCount = { readonly reason: DesignReason; readonly count: number; readonly why: string };

/** Sums of counts with their sentences; those of reasons that did not occur are left out. */
export const designCounts = (...counts: readonly ReasonCounts[]): readonly DesignCount[] =>
  (Object.keys(reasons) as DesignReason[])
    .map((reason) => ({
      reason,
      count: counts.reduce((sum, { [reason]: count = 0 }) => sum + count, 0),
      why: reasons[reason],
    }))
    .filter(({ count }) => count > 0);
