import type { StatusRow } from "@realmwatch/proto/svc/v1/query_pb";

/** A command that was accepted and whose effect the rows do not show yet. */
export type PendingCommand = {
  /** Of the object, as `idOf` makes it. */
  readonly id: string;
  /** What waits, for the row: `acknowledgement`, `downtime`, … */
  readonly label: string;
  /** Unix ms. */
  readonly sentAtMs: number;
  /** Whether this row shows the effect. */
  readonly isVisibleIn: (row: StatusRow) => boolean;
};

/** How long an effect is expected to take, ms; after it the mark says that it is not visible yet. */
export const expectedWithinMs = 5_000;
/** When the page stops waiting, ms. */
export const giveUpAfterMs = 60_000;

/** The marks that are still worth waiting for once `row` is known. */
export function stillPending(
  marks: readonly PendingCommand[],
  { id, row }: { id: string; row: StatusRow },
): readonly PendingCommand[] {
  const left = marks.filter((mark) => mark.id !== id || !mark.isVisibleIn(row));
  return left.length === marks.length ? marks : left;
}
