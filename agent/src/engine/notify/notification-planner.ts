import { type Author, authorFields } from "@realmwatch/shared/model/author";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import type { Notification, NotificationDecision, NotificationKind } from "@realmwatch/shared/model/notification";
import { attemptOf, maxAttemptsOf, type ObjectState, stateTypeOf, statusOf } from "../state/object-state.ts";
import type { FollowUp, StepContext } from "../transition.ts";
import { queueDeliveries } from "./deliveries/deliveries.ts";
import type { DueNotification } from "./filters.ts";
import {
  type Announcement,
  announcementOf,
  isAnyContactNotified,
  type NotificationState,
  newNotificationState,
  notificationDecision,
  type OpenProblem,
  openProblemOf,
  type StateNotificationKind,
} from "./notification-state.ts";

/** Content of a notification beside the object's state. `previousStatus`: status the contacts were last notified of. */
type NotificationDetails = Pick<PlannedNotification, "by" | "comment" | "previousStatus">;

/** Identifies a decision among all decisions about its object. */
export const decisionIdOf = ({
  countedFromMs,
  notificationNumber,
}: Pick<PlannedNotification, "countedFromMs" | "notificationNumber">): string =>
  `${countedFromMs}.${notificationNumber}`;

/** A notification to `contacts`, as the engine decided it. The realm turns it into one `Notification` per contact. */
export type PlannedNotification = Pick<
  Notification,
  "kind" | "status" | "previousStatus" | "stateType" | "level" | "number" | "comment"
> & {
  readonly contacts: readonly string[];
  /** Start of counting, Unix ms. With the object and the two counters below it identifies the notification. */
  readonly countedFromMs: number;
  readonly problemNumber: number;
  readonly notificationNumber: number;
  readonly by: Author;
};

/** Collects the decided notifications, history and state changes of one step. Lives for that step only. */
export class NotificationPlanner {
  readonly context: StepContext;
  readonly state: ObjectState;
  readonly history: HistoryEntry[] = [];
  readonly notifications: PlannedNotification[] = [];
  readonly followUps: FollowUp[] = [];
  notificationState: NotificationState;
  /** Next time at which a suppressed or repeated notification may become due, Unix ms; Infinity when there is none. */
  wakeAtMs = Number.POSITIVE_INFINITY;

  readonly #before: NotificationState;

  constructor(context: StepContext, state: ObjectState) {
    this.context = context;
    this.state = state;
    this.notificationState = state.notificationState ?? newNotificationState(context.nowMs);
    this.#before = this.notificationState;
  }

  get changed(): boolean {
    return this.notificationState !== this.#before;
  }

  get openProblem(): OpenProblem | undefined {
    return openProblemOf(this.notificationState);
  }

  get announcement(): Announcement | undefined {
    return announcementOf(this.notificationState);
  }

  change(change: Partial<NotificationState>): void {
    this.notificationState = { ...this.notificationState, ...change };
  }

  /** Changes the open problem; without one it does nothing. */
  changeProblem(change: Partial<OpenProblem>): void {
    const problem = this.openProblem;
    if (problem !== undefined) this.change({ problem: { ...problem, ...change } });
  }

  /** Changes the progress of an announced problem; before the announcement it does nothing. */
  changeAnnouncement(change: Partial<Announcement>): void {
    const { announcement } = this;
    if (announcement !== undefined) this.changeProblem({ announcement: { ...announcement, ...change } });
  }

  wakeAt(atMs: number | undefined): void {
    if (atMs !== undefined && atMs < this.wakeAtMs) this.wakeAtMs = atMs;
  }

  /** The due notification of a kind, as the filters need it. Without an announced problem it uses the first level. */
  due<Kind extends NotificationKind>(kind: Kind): DueNotification<Kind> {
    const { context, state, notificationState } = this;
    const { policy } = context.objectContext.routing;
    const isOpen = this.announcement !== undefined || isAnyContactNotified(notificationState);
    const level = isOpen ? Math.min(this.announcement?.level ?? 0, (policy?.levels.length ?? 1) - 1) : 0;
    return { kind, context, state, notificationState, policy, level };
  }

  /** [NO2] Records why a notification is suppressed, once for each change of kind, reason or name. */
  suppress(kind: StateNotificationKind, decision: NotificationDecision): void {
    const last = this.notificationState.decision;
    if (last?.kind === kind && isSameReason(last.decision, decision)) return;
    this.change({ decision: { kind, decision } });
    this.history.push(this.#entry("notification_suppressed", kind, decision));
  }

  /** [NO2] Does the same for flapping, which has its own decision because it may be due together with a problem. */
  suppressFlapping(kind: "FLAPPING_START" | "FLAPPING_STOP", decision: NotificationDecision): void {
    this.wakeAt(decision.untilMs);
    const { flapping } = this.notificationState;
    if (flapping.kind === "dropped") return;
    if (flapping.suppressed !== undefined && isSameReason(flapping.suppressed, decision)) return;
    this.change({ flapping: { kind: flapping.kind, suppressed: decision } });
    this.history.push(this.#entry("notification_suppressed", kind, decision));
  }

  /** Records a notification that is not sent, and will not be sent later. */
  drop(
    kind: NotificationKind,
    decision: NotificationDecision,
    { by, comment }: Omit<NotificationDetails, "previousStatus">,
  ): void {
    const entry = this.#entry("notification_suppressed", kind, decision);
    this.history.push({ ...entry, ...authorFields(by), ...commentField(comment) });
  }

  send(due: DueNotification, contacts: readonly string[], { by, comment, previousStatus }: NotificationDetails): void {
    const decision = notificationDecision("decided");
    const { counters } = this.notificationState;
    const notificationNumber = counters.notifications + 1;
    this.notifications.push({
      kind: due.kind,
      contacts,
      status: statusOf(this.state.phase),
      previousStatus,
      stateType: stateTypeOf(this.state.phase),
      level: due.level,
      number: this.announcement?.number ?? 0,
      countedFromMs: counters.sinceMs,
      problemNumber: counters.problems,
      notificationNumber,
      by,
      comment,
    });
    const decisionId = decisionIdOf({ countedFromMs: counters.sinceMs, notificationNumber });
    const decided = { contacts, kind: due.kind, decisionId, atMs: this.context.nowMs };
    this.change({
      counters: { ...counters, notifications: notificationNumber },
      deliveries: queueDeliveries(this.notificationState.deliveries, decided),
    });
    if (isStateKind(due.kind)) this.change({ decision: { kind: due.kind, decision } });
    const entry = this.#entry("notification_queued", due.kind, decision);
    const details = { ...authorFields(by), ...commentField(comment) };
    for (const contact of contacts)
      this.history.push({ ...entry, previousStatus, contact, level: due.level, ...details });
  }

  #entry(
    type: "notification_queued" | "notification_suppressed",
    notificationKind: NotificationKind,
    decision: NotificationDecision,
  ): HistoryEntry {
    const { phase } = this.state;
    return {
      atMs: this.context.nowMs,
      type,
      key: this.context.plan.key,
      notificationKind,
      status: statusOf(phase),
      stateType: stateTypeOf(phase),
      attempt: attemptOf(phase, maxAttemptsOf(this.context.plan)),
      because: decision,
    };
  }
}

const isSameReason = (a: NotificationDecision, b: NotificationDecision): boolean =>
  a.reason === b.reason && a.name === b.name;

const isStateKind = (kind: NotificationKind): kind is StateNotificationKind =>
  kind === "PROBLEM" || kind === "STATUS_CHANGE" || kind === "RECOVERY";

const commentField = (comment: string): Pick<HistoryEntry, "comment"> => (comment === "" ? {} : { comment });
