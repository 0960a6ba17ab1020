import type { Waiter } from "./start-queue.ts";
import type { Scheduled } from "./turns.ts";

/** What the scheduler, who alone writes it, knows of an object. */
export type ScheduleEntry = Waiter & {
  plan: Scheduled;
  /** [SC14] The turn that the next or the running regular check makes up for, monotonic ms. */
  missedTurn: number | undefined;
  /** From its start until its result is in the state: once at a time. */
  running: boolean;
  /** Asked for while running: once more when it ends. */
  again: boolean;
  /** Until when a closed period was last found to hold it, wall clock; undefined where none does. */
  heldUntilMs: number | undefined;
  /** Removed while its check ran: it goes with the check's end. */
  gone: boolean;
};

/** An object whose check neither runs nor waits. */
export const newEntry = (plan: Scheduled, missedTurn: number | undefined): ScheduleEntry => ({
  plan,
  startedFor: undefined,
  missedTurn,
  running: false,
  place: undefined,
  again: false,
  waitingSince: undefined,
  heldUntilMs: undefined,
  gone: false,
});

/** Whether its check runs or waits for a place. */
export const isBusy = ({ running, waitingSince }: ScheduleEntry): boolean => running || waitingSince !== undefined;
