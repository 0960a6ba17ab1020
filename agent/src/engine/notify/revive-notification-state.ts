import type { Announcement, NotificationState, OpenProblem } from "./notification-state.ts";

/** Restores a notification state from its JSON, which leaves undefined fields out: here they get their places again. */
export const reviveNotificationState = ({
  counters,
  problem,
  lastAtMs,
  flapping,
  awaitsResult,
  decision,
  deliveries,
}: NotificationState): NotificationState => ({
  counters,
  problem: problem.kind === "closed" ? problem : openProblem(problem),
  lastAtMs,
  flapping: flapping.kind === "dropped" ? flapping : { kind: flapping.kind, suppressed: flapping.suppressed },
  awaitsResult,
  decision,
  deliveries,
});

const openProblem = ({ sinceMs, notified, hostCheckAwaitedSinceMs, announcement }: OpenProblem): OpenProblem => ({
  kind: "open",
  sinceMs,
  notified,
  hostCheckAwaitedSinceMs,
  announcement: announcement && announcementWith(announcement),
});

const announcementWith = ({ nextAtMs, deferred, recovered, ...rest }: Announcement): Announcement => ({
  ...rest,
  nextAtMs,
  deferred,
  ...(recovered && { recovered }),
});
