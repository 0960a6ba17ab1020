import type { Acknowledgement, Comment } from "./annotation.ts";
import type { Downtime } from "./downtime.ts";
import type { DeliveryProgress, NotificationDecision } from "./notification.ts";
import type { ObjectKey } from "./object-key.ts";
import type { PerfPoint } from "./perfdata.ts";
import type { StateType, Status } from "./status.ts";
import type { ObjectToggles } from "./toggles.ts";

export type Labels = Readonly<Record<string, string>>;

/** Configured properties of an object that readers see. Shared by all rows of the object. */
export type ObjectMetadata = {
  readonly key: ObjectKey;
  /** Effective labels: a service inherits its host's and overrides them. Keys are lower case. */
  readonly labels: Labels;
  /** Names of a host's parents. */
  readonly parents: readonly string[];
  /** `type` of the check; empty for a process. */
  readonly checkType: string;
  /** A process' rule as JSON text; empty otherwise. */
  readonly rule: string;
  readonly zone: string;
  /** Timeperiod names; empty means always. */
  readonly checkPeriod: string;
  readonly notificationPeriod: string;
};

/** Progress of an open problem in its notification policy. */
export type NotificationProgress = {
  /** Index of the current escalation level, from 0. */
  readonly level: number;
  /** Number of decisions to notify at this level, whatever became of their deliveries. */
  readonly sentAtLevel: number;
  readonly lastAtMs: number | undefined;
  readonly nextAtMs: number | undefined;
  /** Decision on the last notification that was due. */
  readonly because: NotificationDecision | undefined;
  /** Progress of the latest notification, one entry per contact, after those of earlier ones that are still pending. */
  readonly deliveries: readonly DeliveryProgress[];
};

/**
 * Row of ListStatus: the state of one object as readers see it. Times are Unix ms, durations ms.
 * (`epoch`, `revision`) orders the versions of a row; the greater one is newer.
 */
export type Row = {
  readonly about: ObjectMetadata;
  /** Empty on an agent. */
  readonly realm: string;
  readonly epoch: number;
  readonly revision: number;
  readonly status: Status;
  readonly stateType: StateType;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly lastHardStatus: Status;
  readonly output: string;
  readonly longOutput: string;
  readonly perfdata: readonly PerfPoint[];
  readonly lastCheckAtMs: number | undefined;
  readonly nextCheckAtMs: number | undefined;
  /** Time from which the next result is overdue, Unix ms; undefined when none is expected. */
  readonly overdueAtMs: number | undefined;
  readonly lastChangeAtMs: number | undefined;
  readonly lastHardChangeAtMs: number | undefined;
  readonly latencyMs: number | undefined;
  readonly executionMs: number | undefined;
  readonly checkSource: string;
  readonly flapping: boolean;
  /** In [0, 1]. */
  readonly flapValue: number;
  readonly acknowledgement: Acknowledgement | undefined;
  readonly downtimes: readonly Downtime[];
  readonly inDowntime: boolean;
  readonly comments: readonly Comment[];
  readonly toggles: ObjectToggles;
  readonly notification: NotificationProgress | undefined;
  readonly suppressedBy: readonly string[];
  readonly handled: boolean;
  /** True when texts or lists were cut on the way from the agent. */
  readonly truncated: boolean;
};

/** Version of a row or of a removal: the greater epoch is newer, then the greater revision. */
export type RowVersion = { readonly epoch: number; readonly revision: number };

/**
 * One change of a read model. A `drop` removes every row of its object up to (`epoch`, `revision`). `published`: number of
 * the message among the realm's row messages of the epoch, from 1; left out when the agent does not number them.
 */
export type RowChange =
  | { readonly kind: "put"; readonly row: Row; readonly published?: number }
  | {
      readonly kind: "drop";
      readonly published?: number;
      readonly realm: string;
      readonly key: ObjectKey;
      readonly epoch: number;
      readonly revision: number;
    };
