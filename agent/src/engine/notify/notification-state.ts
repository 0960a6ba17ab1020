import type { NotificationDecision, NotificationKind } from "@realmwatch/shared/model/notification";
import type { ProblemStatus, Status } from "@realmwatch/shared/model/status";

/** What one contact knows of the open problem, and from which level. */
export type LastNotification = { readonly status: ProblemStatus; readonly level: number };

/** A message that only one contact's own period holds back. */
export type DeferredNotification = {
  readonly contact: string;
  readonly kind: "PROBLEM" | "RECOVERY";
  readonly level: number;
  /** What the contact was told last; of a `PROBLEM` what it was not told. */
  readonly status: ProblemStatus;
};

/**
 * How far people have been told of an object. Messages are owed by comparing it with the object's state, never by
 * remembering what happened: what was withheld and no longer holds is thereby forgotten, and what still holds is not.
 */
export type NotificationState = {
  /** When counting began, Unix ms: keeps what is counted apart from what a lost journal had counted. */
  readonly countedFromMs: number;
  /** Problems that there was something to tell of, since then. */
  readonly problems: number;
  /** Messages decided on, since then: none has the identity of another. */
  readonly messages: number;
  /** When the open problem began, Unix ms; undefined where there is none. */
  readonly problemSinceMs: number | undefined;
  /** The status last announced; undefined where nothing was announced of the open problem. */
  readonly announced: Status | undefined;
  readonly told: Readonly<Record<string, LastNotification>>;
  readonly level: number;
  readonly sentAtLevel: number;
  /** Messages about the open problem. */
  readonly number: number;
  readonly lastAtMs: number | undefined;
  /** When the open problem is told again, Unix ms; undefined for never. */
  readonly nextAtMs: number | undefined;
  readonly deferred: readonly DeferredNotification[];
  /** `dropped`: nobody heard that it flaps, and nobody will hear that it stopped. */
  readonly flapping: "calm" | "told" | "dropped";
  /** Why it is not told yet that flapping began or, where that was told, that it ended. */
  readonly flappingWithheld: NotificationDecision | undefined;
  /** Flapping has stopped, and a problem is only told when another result confirms it. */
  readonly awaitsResult: boolean;
  /** Since when a message waits for a look at the host, Unix ms. */
  readonly hostAwaitedSinceMs: number | undefined;
  /** The answer of the filters to the last message that was owed. */
  readonly because: NotificationDecision | undefined;
  readonly becauseOf: NotificationKind | undefined;
};

export const newNotificationState: NotificationState = {
  countedFromMs: 0,
  problems: 0,
  messages: 0,
  problemSinceMs: undefined,
  announced: undefined,
  told: {},
  level: 0,
  sentAtLevel: 0,
  number: 0,
  lastAtMs: undefined,
  nextAtMs: undefined,
  deferred: [],
  flapping: "calm",
  flappingWithheld: undefined,
  awaitsResult: false,
  hostAwaitedSinceMs: undefined,
  because: undefined,
  becauseOf: undefined,
};

export const isAnyContactNotified = ({ told }: NotificationState): boolean => {
  for (const _ in told) return true;
  return false;
};

/** Nothing is open that anybody was told of or waits to hear. */
export const isSettled = (telling: NotificationState): boolean =>
  telling.announced === undefined &&
  telling.problemSinceMs === undefined &&
  telling.flapping === "calm" &&
  telling.flappingWithheld === undefined &&
  telling.deferred.length === 0 &&
  !isAnyContactNotified(telling);

/** The problem is over and everybody who knew of it knows: only what counts for good stays. */
export const closeProblem = (telling: NotificationState, deferred: readonly DeferredNotification[]): NotificationState => ({
  ...newNotificationState,
  countedFromMs: telling.countedFromMs,
  problems: telling.problems,
  messages: telling.messages,
  flapping: telling.flapping,
  flappingWithheld: telling.flappingWithheld,
  lastAtMs: telling.lastAtMs,
  because: telling.because,
  becauseOf: telling.becauseOf,
  deferred,
});

/** Whether a span of time is being waited for: spans go on as they are when the wall clock is set. */
export const hasPendingTimer = ({ nextAtMs, hostAwaitedSinceMs }: NotificationState): boolean =>
  nextAtMs !== undefined || hostAwaitedSinceMs !== undefined;

/** [NO22] The wall clock was set by so much: what waits for a span of time waits no longer and no less for it. */
export const shiftTimers = (telling: NotificationState, byMs: number): NotificationState =>
  hasPendingTimer(telling)
    ? {
        ...telling,
        nextAtMs: telling.nextAtMs === undefined ? undefined : telling.nextAtMs + byMs,
        hostAwaitedSinceMs: telling.hostAwaitedSinceMs === undefined ? undefined : telling.hostAwaitedSinceMs + byMs,
      }
    : telling;

/** JSON leaves out what is undefined; this puts the fields back in their places. */
export const reviveNotificationState = (kept: Partial<NotificationState>): NotificationState => ({ ...newNotificationState, ...kept });
