import type { Result } from "@realmwatch/shared/model/result";
import type { Status } from "@realmwatch/shared/model/status";

/** Host or service as the other monitoring system sees it. */
export type ObservedObject = {
  /** `web1` or `web1!http`. */
  readonly ref: string;
  /** `unreachable` for hosts only. */
  readonly status: Exclude<Status, "pending">;
  readonly isHard: boolean;
  /** Attempt of a problem, from 1. */
  readonly attempt: number;
  /** Time of the latest result, Unix ms. */
  readonly checkedAtMs: number;
  readonly executionMs: number;
  readonly output: string;
  readonly longOutput: string;
  /** In the format of plugins. */
  readonly perfdata: string;
  /** Time of the latest result that was OK, Unix ms; undefined when there was none. */
  readonly lastOkAtMs: number | undefined;
  /** True when the latest result was submitted, and not that of a check. */
  readonly isPassive: boolean;
  /** True when the latest hard state was a problem. */
  readonly wasHardProblem: boolean;
  /** Number of notifications of the present problem. */
  readonly notificationNumber: number;
  /** Time of the latest notification of the present problem, Unix ms; undefined without one. */
  readonly notifiedAtMs: number | undefined;
  /** Circumstances at the other system on which notifications depend, such as `acknowledged`. */
  readonly circumstances: readonly string[];
};

/** Family of systems whose rules of states and notifications are alike. */
export type Dialect = "nagios" | "icinga2";

/** One reading of the other system. */
export type Observation = {
  readonly dialect: Dialect;
  /** Objects that were checked at least once. */
  readonly objects: readonly ObservedObject[];
  /** References of all objects, those without a result included. */
  readonly known: ReadonlySet<string>;
};

/** Other monitoring system. */
export type ObservedSystem = {
  /** File or address, for messages. */
  readonly name: string;
  /** Reads the present states; undefined when nothing has changed since the last call. Fails with a sentence. */
  read(): Promise<Result<Observation | undefined, string>>;
};

/** States of an object at the other system on which notifications depend. */
type CircumstanceFlags = {
  readonly isAcknowledged: boolean;
  readonly isInDowntime: boolean;
  readonly isFlapping: boolean;
  /** Its notifications are switched off. */
  readonly isSilent: boolean;
};

/** Names of the circumstances that apply. */
export function circumstancesOf(flags: CircumstanceFlags): readonly string[] {
  return [
    ...(flags.isAcknowledged ? ["acknowledged"] : []),
    ...(flags.isInDowntime ? ["in downtime"] : []),
    ...(flags.isFlapping ? ["flapping"] : []),
    ...(flags.isSilent ? ["notifications off"] : []),
  ];
}
