import type { ScheduledPlan } from "./check-times.ts";
import type { QueuedCheck } from "./start-queue.ts";

/** Schedule of one object. The scheduler alone changes it. */
export type ScheduleEntry = QueuedCheck & {
  plan: ScheduledPlan;
  /** [SC14] Missed time slot that the next or running regular check makes up for, monotonic ms. */
  missedSlot: number | undefined;
  /** True from the start of a check until its result is in the state. */
  running: boolean;
  /** True if a check was requested while one is running: it runs once more at the end. */
  checkAgain: boolean;
  /** End of the closed period that the check waits for, Unix ms; undefined when it waits for none. */
  closedUntilMs: number | undefined;
  /** True if the object was removed while its check ran: the entry is deleted at the end of the check. */
  removed: boolean;
};

/** Entry of an object without a running or waiting check. */
export const newScheduleEntry = (plan: ScheduledPlan, missedSlot: number | undefined): ScheduleEntry => ({
  plan,
  startedFor: undefined,
  missedSlot,
  running: false,
  queue: undefined,
  checkAgain: false,
  waitingSince: undefined,
  closedUntilMs: undefined,
  removed: false,
});

/** True if a check of the object is running or waiting to start. */
export const isBusy = ({ running, waitingSince }: ScheduleEntry): boolean => running || waitingSince !== undefined;
