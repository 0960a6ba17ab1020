import type { HistoryEntry } from "@realmwatch/shared/model/history";
import type { Because, NotificationKind } from "@realmwatch/shared/model/notification";
import type { Status } from "@realmwatch/shared/model/status";
import { byWhom } from "../annotations/apply-annotation.ts";
import { maxAttemptsOf } from "../state/apply-result.ts";
import { attemptOf, stateTypeOf, statusOf } from "../state/attempts.ts";
import type { By, FollowUp } from "../input.ts";
import type { Sending } from "./planned-notification.ts";
import type { ObjectState } from "../state/object-state.ts";
import type { StepContext } from "../step-context.ts";
import { because, type Owed } from "./filters.ts";
import { isAnyoneTold, type TellingState, untold } from "./notification-state.ts";

/** What a message says beside the state: who wanted it, and what its receivers knew before. */
export type Words = { readonly by: By; readonly comment: string; readonly previousStatus: Status };

/** One step's telling while it is worked out. Lives for the length of one step. */
export class TellDraft {
  readonly context: StepContext;
  readonly state: ObjectState;
  readonly history: HistoryEntry[] = [];
  readonly sendings: Sending[] = [];
  readonly followUps: FollowUp[] = [];
  telling: TellingState;
  /** When time alone could let something out, Unix ms. */
  wakeAtMs = Number.POSITIVE_INFINITY;

  readonly #first: TellingState;

  constructor(context: StepContext, state: ObjectState) {
    this.context = context;
    this.state = state;
    this.telling = state.telling ?? { ...untold, countedFromMs: context.nowMs };
    this.#first = this.telling;
  }

  get changed(): boolean {
    return this.telling !== this.#first;
  }

  change(change: Partial<TellingState>): void {
    this.telling = { ...this.telling, ...change };
  }

  wakeAt(atMs: number | undefined): void {
    if (atMs !== undefined && atMs < this.wakeAtMs) this.wakeAtMs = atMs;
  }

  /** What a message of `kind` would be asked by the filters now. What is about no problem goes to the first level. */
  owed(kind: NotificationKind): Owed {
    const { policy } = this.context.around.telling;
    const open = this.telling.announced !== undefined || isAnyoneTold(this.telling);
    const level = open ? Math.min(this.telling.level, (policy?.levels.length ?? 1) - 1) : 0;
    return { kind, context: this.context, state: this.state, telling: this.telling, policy, level };
  }

  /** [NO2] Why nobody is told of a state is noted when it becomes another reason, not with every result. */
  withhold(kind: NotificationKind, why: Because): void {
    const { because: known, becauseOf } = this.telling;
    if (becauseOf === kind && known?.reason === why.reason && known.name === why.name) return;
    this.change({ because: why, becauseOf: kind });
    this.history.push(this.#entry("notification_suppressed", kind, why));
  }

  /** [NO2] The same of flapping, which has a reason of its own: it is owed beside what is owed of the problem. */
  withholdFlapping(kind: "FLAPPING_START" | "FLAPPING_STOP", why: Because): void {
    this.wakeAt(why.untilMs);
    const known = this.telling.flappingWithheld;
    if (known?.reason === why.reason && known.name === why.name) return;
    this.change({ flappingWithheld: why });
    this.history.push(this.#entry("notification_suppressed", kind, why));
  }

  /** Nobody is told, and it will not be made up for. */
  drop(kind: NotificationKind, why: Because, { by, comment }: Omit<Words, "previousStatus">): void {
    this.history.push({ ...this.#entry("notification_suppressed", kind, why), ...byWhom(by), ...said(comment) });
  }

  send(owed: Owed, contacts: readonly string[], { by, comment, previousStatus }: Words): void {
    const why = because("sent");
    const message = this.telling.messages + 1;
    this.sendings.push({
      kind: owed.kind,
      contacts,
      status: statusOf(this.state.phase),
      previousStatus,
      stateType: stateTypeOf(this.state.phase),
      level: owed.level,
      number: this.telling.number,
      countedFromMs: this.telling.countedFromMs,
      problem: this.telling.problems,
      message,
      by,
      comment,
    });
    this.change({ messages: message, ...(isOfState(owed.kind) ? { because: why, becauseOf: owed.kind } : {}) });
    const entry = this.#entry("notification", owed.kind, why);
    for (const contact of contacts)
      this.history.push({ ...entry, previousStatus, contact, level: owed.level, ...byWhom(by), ...said(comment) });
  }

  #entry(
    type: "notification" | "notification_suppressed",
    notificationKind: NotificationKind,
    why: Because,
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
