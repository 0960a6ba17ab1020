import type { CheckSpec } from "./check-kinds/check-kinds.ts";
import type { PassiveSpec } from "./check-kinds/passive.ts";

/** A schedule with its numbers resolved. All spans in ms, above 0. */
export type SchedulePlan = {
  readonly checkIntervalMs: number;
  readonly retryIntervalMs: number;
  readonly timeoutMs: number;
  /** At least 1. */
  readonly maxAttempts: number;
  /** Timeperiod name; empty means always. */
  readonly checkPeriod: string;
};

export type FlapPlan = {
  readonly enabled: boolean;
  /** In (0, 1]. */
  readonly alpha: number;
  readonly highThreshold: number;
  readonly lowThreshold: number;
  readonly notifyOnFlapStop: boolean;
};

/** Spec of a check that the agent or a worker runs itself. */
export type ActiveCheckSpec = Exclude<CheckSpec, PassiveSpec>;
