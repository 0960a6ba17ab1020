import type { CheckSpec } from "./check-kinds/check-kinds.ts";
import type { PassiveSpec } from "./check-kinds/passive.ts";

/** Compiled check schedule. All durations are above 0. */
export type SchedulePlan = {
  readonly checkIntervalMs: number;
  readonly retryIntervalMs: number;
  readonly timeoutMs: number;
  /** At least 1. */
  readonly maxAttempts: number;
  /** Name of the timeperiod; empty for always. */
  readonly checkPeriod: string;
};

/** Compiled flap detection settings. Thresholds are change rates in [0, 1]. */
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
