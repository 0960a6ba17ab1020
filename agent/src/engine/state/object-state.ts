import type { Acknowledgement, Comment } from "@realmwatch/shared/model/annotation";
import type { Downtime } from "@realmwatch/shared/model/downtime";
import type { PerfPoint } from "@realmwatch/shared/model/perfdata";
import type { Status } from "@realmwatch/shared/model/status";
import { allObjectTogglesOn, type ObjectToggles } from "@realmwatch/shared/model/toggles";
import type { Phase } from "./attempts.ts";
import type { ConfiguredToggles } from "../toggles/configured-toggles.ts";
import { notFlapping, type FlapState } from "../flapping/flapping.ts";
import { reviveNotificationState, type NotificationState } from "../notify/notification-state.ts";

/** What the last processed result said. Instants are Unix ms, spans ms. */
export type LastResult = {
  readonly output: string;
  readonly longOutput: string;
  readonly perfdata: readonly PerfPoint[];
  readonly executedAtMs: number;
  /** The same of the last result that silence did not make up; undefined where there never was one. */
  readonly realAtMs: number | undefined;
  readonly latencyMs: number | undefined;
  readonly executionMs: number | undefined;
  readonly source: string;
  /** Before a host's was translated by its parents. */
  readonly rawStatus: Status;
};

/** Everything that moves about one object. Plain JSON: the journal keeps it as it is. */
export type ObjectState = {
  readonly phase: Phase;
  readonly lastHardStatus: Status;
  readonly lastChangeAtMs: number | undefined;
  readonly lastHardChangeAtMs: number | undefined;
  readonly last: LastResult | undefined;
  /** Wall-clock instant of the next regular check; kept so that a restart keeps the cadence. */
  readonly nextCheckAtMs: number | undefined;
  /** [SC14] The turn that the next regular check makes up for, Unix ms; undefined where it is a turn itself. */
  readonly missedTurnAtMs?: number | undefined;
  /** When somebody asked for a check that has not ended yet, Unix ms. */
  readonly checkAskedAtMs: number | undefined;
  /** From when a passive object's silence counts, and a process' quiet. */
  readonly freshFromMs: number;
  /**
   * When a result last came, one that silence made not counted; from the start of its life where none ever did. By the
   * wall clock as it goes now: a jump of it moves this too.
   */
  readonly heardAtMs: number;
  /** Of a host: when it last came back from being down or unreachable, Unix ms. */
  readonly upSinceMs: number | undefined;
  /** When the check ran that first found the problem there is now, Unix ms; undefined where all is well. */
  readonly failingSinceMs: number | undefined;
  readonly flap: FlapState;
  readonly acknowledgement: Acknowledgement | undefined;
  readonly downtimes: readonly Downtime[];
  readonly comments: readonly Comment[];
  readonly toggles: ObjectToggles;
  /** [TG3] What the configuration said when a switch of these was last moved; undefined where none stands against it. */
  readonly configured?: ConfiguredToggles | undefined;
  /** Undefined where there never was anything to tell. */
  readonly telling: NotificationState | undefined;
};

const none: readonly never[] = [];

/** An object that was never heard of before. */
export const newState = (nowMs: number): ObjectState => ({
  phase: { kind: "pending" },
  lastHardStatus: "pending",
  lastChangeAtMs: undefined,
  lastHardChangeAtMs: undefined,
  last: undefined,
  nextCheckAtMs: undefined,
  checkAskedAtMs: undefined,
  freshFromMs: nowMs,
  heardAtMs: nowMs,
  upSinceMs: undefined,
  failingSinceMs: undefined,
  flap: notFlapping,
  acknowledgement: undefined,
  downtimes: none,
  comments: none,
  toggles: allObjectTogglesOn,
  telling: undefined,
});

/**
 * JSON leaves out what is undefined; this puts the fields back in their places. What nearly all objects have alike is
 * one and the same again, as it is where they began here.
 */
export const reviveState = (kept: Partial<ObjectState>, nowMs: number): ObjectState => ({
  ...newState(nowMs),
  ...kept,
  flap: kept.flap === undefined || isCalm(kept.flap) ? notFlapping : kept.flap,
  toggles: kept.toggles === undefined || areAllOn(kept.toggles) ? allObjectTogglesOn : kept.toggles,
  downtimes: kept.downtimes === undefined || kept.downtimes.length === 0 ? none : kept.downtimes,
  comments: kept.comments === undefined || kept.comments.length === 0 ? none : kept.comments,
  telling: kept.telling === undefined ? undefined : reviveNotificationState(kept.telling),
});

const isCalm = ({ value, flapping }: FlapState): boolean => value === 0 && !flapping;
const areAllOn = (toggles: ObjectToggles): boolean =>
  toggles.notifications &&
  toggles.activeChecks &&
  toggles.passiveChecks &&
  toggles.eventHandler &&
  toggles.flapDetection;
