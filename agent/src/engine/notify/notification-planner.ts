import type { HistoryEntry } from "@realmwatch/shared/model/history";
import type { NotificationDecision, NotificationKind } from "@realmwatch/shared/model/notification";
import type { Status } from "@realmwatch/shared/model/status";
import { authorFields } from "../author.ts";
import { maxAttemptsOf } from "../state/attempts.ts";
import { attemptOf, stateTypeOf, statusOf } from "../state/attempts.ts";
import type { Author } from "../author.ts";
import type { FollowUp } from "../follow-up.ts";
import type { PlannedNotification } from "./planned-notification.ts";
import type { ObjectState } from "../state/object-state.ts";
import type { StepContext } from "../step-context.ts";
import type { DueNotification } from "./filters.ts";
import { notificationDecision } from "./notification-decision.ts";
import { isAnyContactNotified, type NotificationState, newNotificationState } from "./notification-state.ts";

/** What a message says beside the state: who wanted it, and what its receivers knew before. */
export type NotificationDetails = { readonly by: Author; readonly comment: string; readonly previousStatus: Status };

/** One step's telling while it is worked out. Lives for the length of one step. */
export class NotificationPlanner {
  readonly context: StepContext;
  readonly state: ObjectState;
  readonly history: HistoryEntry[] = [];
  readonly notifications: PlannedNotification[] = [];
  readonly followUps: FollowUp[] = [];
  notificationState: NotificationState;
  /** When time alone could let something out, Unix ms. */
  wakeAtMs = Number.POSITIVE_INFINITY;

  readonly #first: NotificationState;

  constructor(context: StepContext, state: ObjectState) {
    this.context = context;
    this.state = state;
    this.notificationState = state.telling ?? { ...newNotificationState, countedFromMs: context.nowMs };
    this.#first = this.notificationState;
  }

  get changed(): boolean {
    return this.notificationState !== this.#first;
  }

  change(change: Partial<NotificationState>): void {
    this.notificationState = { ...this.notificationState, ...change };
  }

  wakeAt(atMs: number | undefined): void {
    if (atMs !== undefined && atMs < this.wakeAtMs) this.wakeAtMs = atMs;
  }

  /** What a message of `kind` would be asked by the filters now. What is about no problem goes to the first level. */
  due(kind: NotificationKind): DueNotification {
    const { policy } = this.context.objectContext.routing;
    const open = this.notificationState.announced !== undefined || isAnyContactNotified(this.notificationState);
    const level = open ? Math.min(this.notificationState.level, (policy?.levels.length ?? 1) - 1) : 0;
    return { kind, context: this.context, state: this.state, notificationState: this.notificationState, policy, level };
  }

  /** [NO2] Why nobody is told of a state is noted when it becomes another reason, not with every result. */
  suppress(kind: NotificationKind, why: NotificationDecision): void {
    const { because: known, becauseOf } = this.notificationState;
    if (becauseOf === kind && known?.reason === why.reason && known.name === why.name) return;
    this.change({ because: why, becauseOf: kind });
    this.history.push(this.#entry("notification_suppressed", kind, why));
  }

  /** [NO2] The same of flapping, which has a reason of its own: it is owed beside what is owed of the problem. */
  suppressFlapping(kind: "FLAPPING_START" | "FLAPPING_STOP", why: NotificationDecision): void {
    this.wakeAt(why.untilMs);
    const known = this.notificationState.flappingWithheld;
    if (known?.reason === why.reason && known.name === why.name) return;
    this.change({ flappingWithheld: why });
    this.history.push(this.#entry("notification_suppressed", kind, why));
  }

  /** Nobody is told, and it will not be made up for. */
  drop(kind: NotificationKind, why: NotificationDecision, { by, comment }: Omit<NotificationDetails, "previousStatus">): void {
    this.history.push({ ...this.#entry("notification_suppressed", kind, why), ...authorFields(by), ...said(comment) });
  }

  send(owed: DueNotification, contacts: readonly string[], { by, comment, previousStatus }: NotificationDetails): void {
    const why = notificationDecision("sent");
    const message = this.notificationState.messages + 1;
    this.notifications.push({
      kind: owed.kind,
      contacts,
      status: statusOf(this.state.phase),
      previousStatus,
      stateType: stateTypeOf(this.state.phase),
      level: owed.level,
      number: this.notificationState.number,
      countedFromMs: this.notificationState.countedFromMs,
      problem: this.notificationState.problems,
      message,
      by,
      comment,
    });
    this.change({ messages: message, ...(isOfState(owed.kind) ? { because: why, becauseOf: owed.kind } : {}) });
    const entry = this.#entry("notification", owed.kind, why);
    for (const contact of contacts)
      this.history.push({ ...entry, previousStatus, contact, level: owed.level, ...authorFields(by), ...said(comment) });
  }

  #entry(
    type: "notification" | "notification_suppressed",
    notificationKind: NotificationKind,
    why: NotificationDecision,
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
      because: why,
    };
  }
}

const isOfState = (kind: NotificationKind): boolean =>
  kind === "PROBLEM" || kind === "STATUS_CHANGE" || kind === "RECOVERY";

const said = (comment: string): Pick<HistoryEntry, "comment"> => (comment === "" ? {} : { comment });
