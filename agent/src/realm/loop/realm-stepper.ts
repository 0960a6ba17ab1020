import { isChecked } from "@realmwatch/shared/config/plan";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { isProblem } from "@realmwatch/shared/model/status";
import { removeAnnotations } from "../../engine/annotations/apply-annotation.ts";
import { anyInEffect } from "../../engine/downtimes/downtimes.ts";
import type { CheckResult, ObjectInput } from "../../engine/input.ts";
import { notifyRemoved } from "../../engine/notify/notify-removed.ts";
import { hasOpenProblem } from "../../engine/notify/plan-notifications.ts";
import { type ObjectState, stateTypeOf, statusOf } from "../../engine/state/object-state.ts";
import { isDownOrUnreachable } from "../../engine/state/reachability.ts";
import { step } from "../../engine/step.ts";
import type { DropReason, FollowUp } from "../../engine/transition.ts";
import { applyCommand, type CommandContext, type CommandToApply, expireMutes } from "../commands/apply-command.ts";
import { buildNotifications } from "../outputs/build-notifications.ts";
import { handlerCallOf } from "../outputs/handler-call.ts";
import { OnDemandChecks, type OnDemandChecksOptions } from "../schedule/on-demand-checks.ts";
import type { Scheduler } from "../schedule/scheduler.ts";
import type { ObjectRecord } from "../state/object-record.ts";
import type { RealmState } from "../state/realm-state.ts";
import type { DueQueue } from "../timers/due-queue.ts";
import { evaluateProcess } from "./evaluate-process.ts";
import { markChanged, type RoundChanges } from "./round-changes.ts";

/** Operations of the check scheduler that a step uses. */
export type StepScheduler = Pick<Scheduler, "ended" | "resultReceived" | "checkNow" | "checkSoon">;

type RealmStepperOptions = OnDemandChecksOptions & {
  readonly scheduler: StepScheduler;
  /** Objects whose notifications are to be re-evaluated in this round or one of the next. */
  readonly reevaluationQueue: Set<string>;
  resultDropped(why: DropReason): void;
};

/**
 * Runs the engine's steps of single objects and applies their effects on the rest of the realm: neighbours to check or
 * to refresh, processes to evaluate, check schedule, and timers. Adds everything that changed to the round; the caller
 * makes it durable and publishes it.
 */
export class RealmStepper {
  readonly #clock: Clock;
  readonly #realm: RealmState;
  readonly #scheduler: StepScheduler;
  readonly #timers: DueQueue;
  readonly #onDemandChecks: OnDemandChecks;
  readonly #reevaluationQueue: Set<string>;
  readonly #resultDropped: (why: DropReason) => void;
  readonly #commandContext: CommandContext;

  constructor(options: RealmStepperOptions) {
    const { clock, realm, scheduler, timers, reevaluationQueue } = options;
    this.#clock = clock;
    this.#realm = realm;
    this.#scheduler = scheduler;
    this.#timers = timers;
    this.#onDemandChecks = new OnDemandChecks({ clock, realm, scheduler, timers });
    this.#reevaluationQueue = reevaluationQueue;
    this.#resultDropped = (why) => options.resultDropped(why);
    this.#commandContext = {
      realm,
      scheduler,
      step: (ref, input, changes) => this.step(ref, input, changes),
      reevaluateNotifications: (refs) => this.reevaluateNotifications(refs),
    };
  }

  /** Applies the effects of a command in order. */
  apply(command: CommandToApply, changes: RoundChanges): void {
    applyCommand(this.#commandContext, command, changes);
  }

  /** Ends the mutes of contacts that are due. */
  expireMutes(changes: RoundChanges): void {
    expireMutes({ ...this.#commandContext, changes }, this.#clock.now());
  }

  /** [RE5] Queues the objects that may have a due notification for re-evaluation. */
  reevaluateNotifications(refs: Iterable<string>): void {
    for (const ref of refs) {
      const record = this.#realm.records.get(ref);
      if (record !== undefined && hasOpenProblem(record.state)) this.#reevaluationQueue.add(ref);
    }
  }

  /** Passes one input to the engine and applies the outcome. Ignores an object that does not exist. */
  step(ref: string, input: ObjectInput, changes: RoundChanges): void {
    const record = this.#realm.records.get(ref);
    if (record === undefined) {
      // The object was removed while its check ran: its place among the running checks must be freed all the same.
      if (input.kind === "result" && input.result.origin === "active") this.#scheduler.ended(ref, 0, false);
      return;
    }
    const before = record.state;
    const nowMs = this.#clock.now();
    const objectContext = this.#realm.objectContextOf(record, nowMs);
    const outcome = step({ plan: record.plan, objectContext, nowMs }, before, input);
    record.state = outcome.state;
    if (outcome.dropped !== undefined) this.#resultDropped(outcome.dropped);
    if (input.kind === "result") this.#updateSchedule(record, input.result);
    if (input.kind === "result" && outcome.dropped === undefined) {
      this.#resultReceived(record, input.result);
      addSample(changes, record, { before, result: input.result });
    }
    if (input.kind === "due") this.#onDemandChecks.recheckDoubted(ref);
    this.#onDemandChecks.repeatHostRequest(record.plan, record.state);
    this.#timers.set(ref, Math.min(outcome.dueMs, this.#onDemandChecks.recheckAtMs(ref)));
    this.#addChanges(record, before, { changes, history: outcome.history });
    // [TG1] The effects of a realm toggle are written together with the toggle.
    if (input.kind === "program_toggle" && record.state !== before) markChanged(changes, ref, "immediate");
    for (const planned of outcome.notifications)
      changes.notifications.push(...buildNotifications(this.#realm, record, { planned, atMs: nowMs }));
    const call = outcome.handlerDue ? handlerCallOf(this.#realm, record, nowMs) : undefined;
    if (call !== undefined) changes.handlerCalls.push(call);
    for (const followUp of outcome.followUps) this.#follow(record, followUp, changes);
  }

  /** [RL7, RL8] Applies the removal of an object: recovery notifications, and the end of its annotations. */
  notifyRemoved(record: ObjectRecord, changes: RoundChanges): void {
    const { plan } = record;
    markChanged(changes, plan.ref, "immediate");
    this.#onDemandChecks.forget(plan.ref);
    const nowMs = this.#clock.now();
    if (hasPerfdata(record.state)) changes.samples.push({ about: plan.about, atMs: nowMs, perfdata: [] });
    const context = { plan, objectContext: this.#realm.objectContextOf(record, nowMs), nowMs };
    const { state, notifications, history } = notifyRemoved(context, record.state);
    const removal = removeAnnotations(context, record.state);
    changes.history.push(...history, ...removal.history);
    for (const planned of notifications)
      changes.notifications.push(...buildNotifications(this.#realm, { plan, state }, { planned, atMs: nowMs }));
    for (const followUp of removal.followUps) this.#follow(record, followUp, changes);
  }

  #resultReceived({ plan }: ObjectRecord, { executedAtMs }: CheckResult): void {
    this.#onDemandChecks.resultReceived(plan.ref, executedAtMs);
    if ("services" in plan) this.reevaluateNotifications(this.#realm.takeServicesAwaiting(plan.ref));
  }

  #updateSchedule(record: ObjectRecord, { origin, executedAtMs }: CheckResult): void {
    if (origin === "active" && executedAtMs >= (record.state.checkAskedAtMs ?? Infinity))
      record.state = { ...record.state, checkAskedAtMs: undefined };
    const { plan, state } = record;
    if (!isChecked(plan)) return;
    const soft = state.phase.kind === "soft";
    const intervalMs = soft ? plan.schedule.retryIntervalMs : plan.schedule.checkIntervalMs;
    const next =
      origin === "active"
        ? this.#scheduler.ended(plan.ref, intervalMs, soft)
        : this.#scheduler.resultReceived(plan.ref, intervalMs, soft);
    if (next !== undefined) record.state = { ...state, nextCheckAtMs: next, missedTurnAtMs: undefined };
  }

  /** Adds the object that a step changed, the rows that depend on it, and the processes that read it. */
  #addChanges(
    record: ObjectRecord,
    before: ObjectState,
    { changes, history }: { changes: RoundChanges; history: readonly HistoryEntry[] },
  ): void {
    const { plan, state } = record;
    changes.history.push(...history);
    if (state === before) return;
    const annotationsChanged =
      before.acknowledgement !== state.acknowledgement ||
      before.downtimes !== state.downtimes ||
      before.comments !== state.comments ||
      before.toggles !== state.toggles;
    const phaseChanged = before.phase !== state.phase && (before.phase.kind === "pending" || history.length > 0);
    // Notification state must survive a crash: otherwise a contact would be notified twice or not at all.
    const notificationStateChanged = before.notificationState !== state.notificationState;
    const isImmediate = annotationsChanged || phaseChanged || notificationStateChanged || history.length > 0;
    markChanged(changes, plan.ref, isImmediate ? "immediate" : "background");
    if (annotationsChanged) this.#realm.annotations.update(plan.ref, before, state);
    if (statusOf(before.phase) !== statusOf(state.phase) || before.lastHardStatus !== state.lastHardStatus)
      this.#realm.dependencies.stateChanged(plan.ref);
    if ("services" in plan) this.#addDependentRows(plan, before, { state, changes });
    if ("services" in plan && before.toggles.activeChecks && !state.toggles.activeChecks)
      this.reevaluateNotifications(this.#realm.takeServicesAwaiting(plan.ref));
    if (phaseChanged || annotationsChanged || before.lastHardStatus !== state.lastHardStatus)
      for (const reader of this.#realm.readersOf(plan.ref)) changes.processesToEvaluate.add(reader);
  }

  /** Adds services and children whose rows show that this host is down or in downtime. */
  #addDependentRows(
    plan: { services: readonly string[]; children: readonly string[] },
    before: ObjectState,
    { state, changes }: { state: ObjectState; changes: RoundChanges },
  ): void {
    const wasDown = isDownOrUnreachable(statusOf(before.phase));
    const isDown = isDownOrUnreachable(statusOf(state.phase));
    const hardnessChanged = stateTypeOf(before.phase) !== stateTypeOf(state.phase);
    const downtimeChanged = anyInEffect(before.downtimes) !== anyInEffect(state.downtimes);
    if (wasDown === isDown && !(isDown && hardnessChanged) && !downtimeChanged) return;
    for (const ref of plan.services) {
      if (downtimeChanged || isProblem(this.#realm.statusOf(ref))) changes.rowsToRefresh.add(ref);
      if (downtimeChanged) for (const reader of this.#realm.readersOf(ref)) changes.processesToEvaluate.add(reader);
    }
    for (const ref of plan.children) if (this.#realm.statusOf(ref) === "unreachable") changes.rowsToRefresh.add(ref);
    if (downtimeChanged) this.reevaluateNotifications(plan.services);
  }

  #follow({ plan }: ObjectRecord, followUp: FollowUp, changes: RoundChanges): void {
    if (followUp.kind !== "downtime_trigger") return this.#onDemandChecks.follow(plan, followUp);
    for (const ref of this.#realm.annotations.triggeredBy(followUp.id)) this.step(ref, followUp, changes);
  }

  /**
   * [BP8, DP6] Evaluates processes whose inputs changed and re-evaluates dependents whose dependency changed, within
   * the same round. Terminates because the plan has no cycles.
   */
  evaluateAll(changes: RoundChanges): void {
    while (changes.processesToEvaluate.size > 0)
      for (const ref of this.#realm.ranks.lowestOf(changes.processesToEvaluate)) {
        changes.processesToEvaluate.delete(ref);
        this.#evaluate(ref, changes);
      }
    const dependents = this.#realm.dependencies.takeChangedDependents(this.#clock.now());
    for (const ref of dependents) if (isProblem(this.#realm.statusOf(ref))) changes.rowsToRefresh.add(ref);
    this.reevaluateNotifications(dependents);
  }

  /** Number of on-demand checks that `requestChecks` has yet to request. */
  get checksPending(): number {
    return this.#onDemandChecks.pending;
  }

  /** Requests up to `most` pending on-demand checks. */
  requestChecks(most: number): void {
    this.#onDemandChecks.request(most);
  }

  /** Re-evaluates the notifications of up to `most` queued objects. */
  runReevaluations(changes: RoundChanges, most: number): void {
    let left = most;
    for (const ref of this.#reevaluationQueue) {
      if (left <= 0) return;
      left -= 1;
      this.#reevaluationQueue.delete(ref);
      this.step(ref, { kind: "reevaluate_notifications" }, changes);
    }
  }

  #evaluate(ref: string, changes: RoundChanges): void {
    const record = this.#realm.records.get(ref);
    if (record === undefined || !("rule" in record.plan)) return;
    const { plan, state } = record;
    const result = evaluateProcess(this.#realm, { plan, state }, this.#clock.now());
    if (result !== undefined) this.step(ref, { kind: "result", result }, changes);
  }
}

const hasPerfdata = ({ last }: ObjectState): boolean => (last?.perfdata.length ?? 0) > 0;

/** Adds a result's performance data to the round; an empty list too when the result before had some. */
function addSample(
  { samples }: RoundChanges,
  { plan }: ObjectRecord,
  { before, result }: { before: ObjectState; result: CheckResult },
): void {
  const { perfdata, executedAtMs: atMs } = result;
  if (perfdata.length > 0 || hasPerfdata(before)) samples.push({ about: plan.about, atMs, perfdata });
}
