/** Sign of life of the agent for one contact. */
export type HeartbeatMessage = {
  readonly id: string;
  readonly realm: string;
  /** Version of the agent. */
  readonly version: string;
  /** Unix ms. */
  readonly atMs: number;
};

/** Kind of a heartbeat, beside the kinds of notifications. */
export const heartbeatKind = "HEARTBEAT";
