import type { StateType, Status } from "../model/status.ts";

/** History record of a state change, reduced to what availability needs. */
export type StateTransition = {
  readonly atMs: number;
  /** Undefined for a record that cannot be read any more. */
  readonly status: Status | undefined;
  /** Soft or hard status before the change. */
  readonly previousStatus: Status | undefined;
  readonly stateType: StateType;
};

/** Beginning or end of the time in which at least one downtime of an object is in effect. */
export type DowntimeEdge = {
  readonly atMs: number;
  /** `cancelled`: a downtime that was in effect was deleted; another one may be in effect still. */
  readonly kind: "start" | "end" | "cancelled";
  /** Planned end of the downtime, Unix ms. */
  readonly untilMs: number;
};

/** Records of one object around a time range, each list in the order in which the records were written. */
export type ObjectRecords = {
  readonly states: readonly StateTransition[];
  readonly edges: readonly DowntimeEdge[];
  /**
   * Last record before the range that set the hard status. Without one, the oldest record before the range; undefined
   * when history has none.
   */
  readonly stateBefore: StateTransition | undefined;
  readonly edgeBefore: DowntimeEdge | undefined;
  /** First record after the range. */
  readonly stateAfter: StateTransition | undefined;
  readonly edgeAfter: DowntimeEdge | undefined;
};

/** Present state of an object, which fills in for history that is older than the retention. */
export type PresentState = {
  readonly lastHardStatus: Status;
  /** Unix ms; undefined when the hard status never changed. */
  readonly lastHardChangeAtMs: number | undefined;
  /** Start of the oldest downtime of the object itself that is in effect, Unix ms; undefined for none. */
  readonly downtimeSinceMs: number | undefined;
};

export const noRecords: ObjectRecords = {
  states: [],
  edges: [],
  stateBefore: undefined,
  edgeBefore: undefined,
  stateAfter: undefined,
  edgeAfter: undefined,
};
