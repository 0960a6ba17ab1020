import type { StatusRow } from "@realmwatch/proto/svc/v1/query_pb";

/** A command that was accepted, but whose effect is not visible in the rows yet. */
export type PendingCommand = {
  /** Id of the object, from `objectIdOf`. */
  readonly id: string;
  /** Name of the command on the page: `acknowledgement`, `downtime`, … */
  readonly label: string;
  /** Time at which it was accepted, Unix ms. */
  readonly sentAtMs: number;
  /** True when the row contains the effect. */
  readonly isVisibleIn: (row: StatusRow) => boolean;
};

/** Expected delay of an effect, ms; afterwards the mark reads "not yet visible". */
export const expectedWithinMs = 5_000;
/** Delay after which the page stops waiting for the effect, ms. */
export const giveUpAfterMs = 60_000;

/** Pending commands without those whose effect is visible in `row`. */
export function stillPending(
  marks: readonly PendingCommand[],
  { id, row }: { id: string; row: StatusRow },
): readonly PendingCommand[] {
  const left = marks.filter((mark) => mark.id !== id || !mark.isVisibleIn(row));
  return left.length === marks.length ? marks : left;
}
