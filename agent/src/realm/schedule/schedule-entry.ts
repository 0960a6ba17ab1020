import type { QueuedCheck } from "./start-queue.ts";
import type { ScheduledPlan } from "./check-times.ts";

/** What the scheduler, who alone writes it, knows of an object. */
export type ScheduleEntry = QueuedCheck & {
  plan: ScheduledPlan;
  /** [SC14] The turn that the next or the running regular check makes up for, monotonic ms. */
  missedSlot: number | undefined;
  /** From its start until its result is in the state: once at a time. */
  running: boolean;
  /** Asked for while running: once more when it ends. */
  checkAgain: boolean;
  /** Until when a closed period was last found to hold it, wall clock; undefined where none does. */
  heldUntilMs: number | undefined;
  /** Removed while its check ran: it goes with the check's end. */
  removed: boolean;
};

/** An object whose check neither runs nor waits. */
export const newScheduleEntry = (plan: ScheduledPlan, missedSlot: number | undefined): ScheduleEntry => ({
  plan,
  startedFor: undefined,
  missedSlot,
  running: false,
  queue: undefined,
  checkAgain: false,
  waitingSince: undefined,
  heldUntilMs: undefined,
  removed: false,
});

/** Whether its check runs or waits for a place. */
export const isBusy = ({ running, waitingSince }: ScheduleEntry): boolean => running || waitingSince !== undefined;
