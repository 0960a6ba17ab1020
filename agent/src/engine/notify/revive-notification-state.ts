import type { NotificationDecision } from "@realmwatch/shared/model/notification";
import { currentDecision } from "@realmwatch/shared/model/notification-reason";
import { isProblem, type Status } from "@realmwatch/shared/model/status";
import type {
  Announcement,
  DeferredNotification,
  FlappingNotification,
  LastNotification,
  NotificationState,
  OpenProblem,
  StateNotificationKind,
} from "./notification-state.ts";

/** A notification state in the flat form that earlier versions stored. JSON leaves undefined fields out. */
export type FlatNotificationState = {
  readonly countedFromMs: number;
  readonly problems: number;
  readonly messages: number;
  /** Undefined without an open problem. */
  readonly problemSinceMs?: number;
  readonly announced?: Status;
  readonly told: Readonly<Record<string, LastNotification>>;
  readonly level: number;
  readonly sentAtLevel: number;
  readonly number: number;
  readonly lastAtMs?: number;
  readonly nextAtMs?: number;
  /** Deferred notifications, of kind `PROBLEM` while a problem is open, else of kind `RECOVERY`. */
  readonly deferred: readonly (DeferredNotification & { readonly kind: "PROBLEM" | "RECOVERY" })[];
  readonly flapping: "calm" | "told" | "dropped";
  readonly flappingWithheld?: NotificationDecision;
  readonly awaitsResult: boolean;
  readonly hostAwaitedSinceMs?: number;
  readonly because?: NotificationDecision;
  readonly becauseOf?: StateNotificationKind;
};

/** Restores a notification state from its JSON, in the present form or in the flat one. */
export function reviveNotificationState(stored: unknown): NotificationState {
  const { counters } = stored as Partial<NotificationState>;
  return counters === undefined
    ? fromFlat(stored as Partial<FlatNotificationState>)
    : fromNested(stored as StoredNotificationState);
}

/** Notification state as stored; versions before 7 of the journal had no deliveries. */
type StoredNotificationState = Omit<NotificationState, "deliveries"> & Partial<Pick<NotificationState, "deliveries">>;

/** JSON leaves undefined fields out; here they get their places again. */
function fromNested({
  counters,
  problem,
  lastAtMs,
  flapping,
  awaitsResult,
  decision,
  deliveries,
}: StoredNotificationState): NotificationState {
  return {
    counters,
    problem: problem.kind === "closed" ? problem : openProblem(problem),
    lastAtMs,
    flapping:
      flapping.kind === "dropped"
        ? flapping
        : { kind: flapping.kind, suppressed: flapping.suppressed && currentDecision(flapping.suppressed) },
    awaitsResult,
    decision: decision && { kind: decision.kind, decision: currentDecision(decision.decision) },
    deliveries: deliveries ?? [],
  };
}

const openProblem = ({ sinceMs, notified, hostCheckAwaitedSinceMs, announcement }: OpenProblem): OpenProblem => ({
  kind: "open",
  sinceMs,
  notified,
  hostCheckAwaitedSinceMs,
  announcement: announcement && announcementWith(announcement),
});

const announcementWith = ({ nextAtMs, deferred, recovered, ...rest }: Announcement): Announcement => ({
  ...rest,
  nextAtMs,
  deferred,
  ...(recovered && { recovered }),
});

function fromFlat(flat: Partial<FlatNotificationState>): NotificationState {
  const { countedFromMs = 0, problems = 0, messages = 0, lastAtMs, awaitsResult = false } = flat;
  const { because, becauseOf = "PROBLEM" } = flat;
  return {
    counters: { sinceMs: countedFromMs, problems, notifications: messages },
    problem: problemOf(flat),
    lastAtMs,
    flapping: flappingOf(flat),
    awaitsResult,
    decision: because && { kind: becauseOf, decision: currentDecision(because) },
    deliveries: [],
  };
}

function problemOf(flat: Partial<FlatNotificationState>): NotificationState["problem"] {
  const { problemSinceMs: sinceMs, told = {}, hostAwaitedSinceMs, deferred = [] } = flat;
  const deferredOf = (wanted: "PROBLEM" | "RECOVERY"): DeferredNotification[] =>
    deferred.filter(({ kind }) => kind === wanted).map(({ kind: _, ...notification }) => notification);
  if (sinceMs === undefined) return { kind: "closed", deferredRecoveries: deferredOf("RECOVERY") };
  return openProblem({
    ...{ kind: "open", sinceMs, notified: told, hostCheckAwaitedSinceMs: hostAwaitedSinceMs },
    announcement: flatAnnouncement(flat, deferredOf("PROBLEM")),
  });
}

function flatAnnouncement(
  { announced: status, level = 0, sentAtLevel = 0, number = 0, nextAtMs }: Partial<FlatNotificationState>,
  deferred: readonly DeferredNotification[],
): Announcement | undefined {
  if (status === undefined || !isProblem(status)) return undefined;
  return { status, level, sentAtLevel, number, nextAtMs, deferred };
}

function flappingOf({ flapping, flappingWithheld }: Partial<FlatNotificationState>): FlappingNotification {
  if (flapping === "dropped") return { kind: "dropped" };
  return { kind: flapping === "told" ? "notified" : "none", suppressed: flappingWithheld };
}
