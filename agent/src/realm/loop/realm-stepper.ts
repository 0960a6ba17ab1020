import { isChecked } from "@realmwatch/shared/config/plan";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { AcceptedCommand } from "@realmwatch/shared/model/command";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { isProblem } from "@realmwatch/shared/model/status";
import type { DropReason } from "../../engine/transition.ts";
import { stateTypeOf, statusOf } from "../../engine/state/attempts.ts";
import { removeAnnotations } from "../../engine/annotations/remove-annotations.ts";
import { anyInEffect } from "../../engine/downtimes/downtimes.ts";
import type { CheckResult, ObjectInput } from "../../engine/input.ts";
import type { FollowUp } from "../../engine/follow-up.ts";
import { hasOpenProblem } from "../../engine/notify/open-problem.ts";
import { isDownOrUnreachable } from "../../engine/state/reachability.ts";
import type { ObjectState } from "../../engine/state/object-state.ts";
import { step } from "../../engine/step.ts";
import { notifyRemoved } from "../../engine/notify/notify-removed.ts";
import { applyCommand, type CommandContext } from "../commands/apply-command.ts";
import { type RoundChanges, markChanged } from "./round-changes.ts";
import type { DueQueue } from "../timers/due-queue.ts";
import { handlerCallOf } from "../outputs/handler-call.ts";
import { OnDemandChecks } from "../schedule/on-demand-checks.ts";
import { buildNotifications } from "../outputs/build-notifications.ts";
import { evaluateProcess } from "./evaluate-process.ts";
import type { ObjectRecord } from "../state/object-record.ts";
import type { RealmState } from "../state/realm-state.ts";
import type { CommandReplay } from "../durability/command-replay.ts";

/** What a step asks of a scheduler. */
export interface StepScheduler {
  ended(ref: string, intervalMs: number, soft: boolean): number | undefined;
  resultReceived(ref: string, intervalMs: number, soft: boolean): number | undefined;
  checkNow(ref: string): void;
  checkSoon(ref: string, lastCheckAtMs: number | undefined): void;
}

export type RealmStepperOptions = {
  readonly clock: Clock;
  readonly realm: RealmState;
  readonly scheduler: StepScheduler;
  /** When time alone could change an object, on the wall clock. */
  readonly timers: DueQueue;
  /** Objects to look at again before the round ends, or in one of the next. */
  readonly reevaluationQueue: Set<string>;
  /** A result was not taken. */
  resultDropped(why: DropReason): void;
  readonly replay: CommandReplay;
};

/**
 * Brings the engine's steps of single objects together into what they mean for a realm: neighbours that
 * are covered or want a look, processes that read them, cadences and timers. Notes all of it in the
 * round's batch; keeps and tells nothing itself.
 */
export class RealmStepper {
  readonly #clock: Clock;
  readonly #realm: RealmState;
  readonly #scheduler: StepScheduler;
  readonly #timers: DueQueue;
  readonly #looks: OnDemandChecks;
  readonly #again: Set<string>;
  readonly #dropped: (why: DropReason) => void;
  readonly #commands: CommandContext;

  constructor({ clock, realm, scheduler, timers, reevaluationQueue, resultDropped, replay }: RealmStepperOptions) {
    this.#clock = clock;
    this.#realm = realm;
    this.#scheduler = scheduler;
    this.#timers = timers;
    this.#looks = new OnDemandChecks({ clock, realm, scheduler, timers });
    this.#again = reevaluationQueue;
    this.#dropped = resultDropped;
    this.#commands = {
      realm,
      scheduler,
      step: (ref, input, batch) => this.step(ref, input, batch),
      reevaluateNotifications: (refs) => this.lookAgainAt(refs),
      replay,
    };
  }

  /** Applies a command, all of its effects in order. */
  apply(accepted: AcceptedCommand, batch: RoundChanges): void {
    applyCommand(this.#commands, accepted, batch);
  }

  /** [RE5] Has those of them that may have something to tell looked at again. */
  lookAgainAt(refs: Iterable<string>): void {
    for (const ref of refs) {
      const record = this.#realm.records.get(ref);
      if (record !== undefined && hasOpenProblem(record.state)) this.#again.add(ref);
    }
  }

  /** Hands one input to the engine and notes what came of it. */
  step(ref: string, input: ObjectInput, batch: RoundChanges): void {
    const record = this.#realm.records.get(ref);
    if (record === undefined) {
      // Its object went while the check ran; the place among the running ones has to be given back.
      if (input.kind === "result" && input.result.origin === "active") this.#scheduler.ended(ref, 0, false);
      return;
    }
    const before = record.state;
    const nowMs = this.#clock.now();
    const objectContext = this.#realm.objectContextOf(record, nowMs);
    const outcome = step({ plan: record.plan, objectContext, nowMs }, before, input);
    record.state = outcome.state;
    if (outcome.dropped !== undefined) this.#dropped(outcome.dropped);
    if (input.kind === "result") this.#settleCadence(record, input.result);
    if (input.kind === "result" && outcome.dropped === undefined) this.#noteHeard(record, input.result);
    if (input.kind === "due") this.#looks.recheckDoubted(ref);
    this.#looks.repeatHostRequest(record.plan, record.state);
    this.#timers.set(ref, Math.min(outcome.dueMs, this.#looks.dueMs(ref)));
    this.#note(record, before, { batch, history: outcome.history });
    // [TG1] What a switch of the realm did is kept with the switch.
    if (input.kind === "program_toggle" && record.state !== before) markChanged(batch, ref, "changed");
    for (const sending of outcome.notifications)
      batch.notifications.push(...buildNotifications(this.#realm, record, { sending, atMs: nowMs }));
    const call = outcome.handlerDue ? handlerCallOf(this.#realm, record, nowMs) : undefined;
    if (call !== undefined) batch.handlerCalls.push(call);
    for (const followUp of outcome.followUps) this.#follow(record, followUp, batch);
  }

  /** [RL7, RL8] Notes that an object is gone with all that was on it, and tells those who know of its problem. */
  notifyRemoved(record: ObjectRecord, batch: RoundChanges): void {
    const { plan } = record;
    markChanged(batch, plan.ref, "changed");
    this.#looks.forget(plan.ref);
    const nowMs = this.#clock.now();
    const context = { plan, objectContext: this.#realm.objectContextOf(record, nowMs), nowMs };
    const { state, notifications, history } = notifyRemoved(context, record.state);
    const cleared = removeAnnotations(context, record.state);
    batch.history.push(...history, ...cleared.history);
    for (const sending of notifications)
      batch.notifications.push(...buildNotifications(this.#realm, { plan, state }, { sending, atMs: nowMs }));
    for (const followUp of cleared.followUps) this.#follow(record, followUp, batch);
  }

  #noteHeard({ plan }: ObjectRecord, { executedAtMs }: CheckResult): void {
    this.#looks.resultReceived(plan.ref, executedAtMs);
    if ("services" in plan) this.lookAgainAt(this.#realm.takeServicesAwaiting(plan.ref));
  }

  #settleCadence(record: ObjectRecord, { origin, executedAtMs }: CheckResult): void {
    if (origin === "active" && executedAtMs >= (record.state.checkAskedAtMs ?? Infinity))
      record.state = { ...record.state, checkAskedAtMs: undefined };
    const { plan, state } = record;
    if (!isChecked(plan)) return;
    const soft = state.phase.kind === "soft";
    const intervalMs = soft ? plan.schedule.retryIntervalMs : plan.schedule.checkIntervalMs;
    const scheduler = this.#scheduler;
    const next =
      origin === "active" ? scheduler.ended(plan.ref, intervalMs, soft) : scheduler.resultReceived(plan.ref, intervalMs, soft);
    if (next !== undefined) record.state = { ...state, nextCheckAtMs: next, missedTurnAtMs: undefined };
  }

  /** Notes what a step changed: the object itself, those it covers, and the processes that read it. */
  #note(
    record: ObjectRecord,
    before: ObjectState,
    { batch, history }: { batch: RoundChanges; history: readonly HistoryEntry[] },
  ): void {
    const { plan, state } = record;
    batch.history.push(...history);
    if (state === before) return;
    const annotated =
      before.acknowledgement !== state.acknowledgement ||
      before.downtimes !== state.downtimes ||
      before.comments !== state.comments ||
      before.toggles !== state.toggles;
    const moved = before.phase !== state.phase && (before.phase.kind === "pending" || history.length > 0);
    // Who knows what must survive: after a crash nobody may be told twice, and nobody forgotten.
    const toldAnew = before.telling !== state.telling;
    markChanged(batch, plan.ref, annotated || moved || toldAnew || history.length > 0 ? "changed" : "fresher");
    if (annotated) this.#realm.annotations.update(plan.ref, before, state);
    if (statusOf(before.phase) !== statusOf(state.phase) || before.lastHardStatus !== state.lastHardStatus)
      this.#realm.dependencies.stateChanged(plan.ref);
    if ("services" in plan) this.#noteCovered(plan, before, { state, batch });
    if ("services" in plan && before.toggles.activeChecks && !state.toggles.activeChecks)
      this.lookAgainAt(this.#realm.takeServicesAwaiting(plan.ref));
    if (moved || annotated || before.lastHardStatus !== state.lastHardStatus)
      for (const reader of this.#realm.readersOf(plan.ref)) batch.processesToEvaluate.add(reader);
  }

  #noteCovered(
    plan: { services: readonly string[]; children: readonly string[] },
    before: ObjectState,
    { state, batch }: { state: ObjectState; batch: RoundChanges },
  ): void {
    const [was, is] = [isDownOrUnreachable(statusOf(before.phase)), isDownOrUnreachable(statusOf(state.phase))];
    const hardened = stateTypeOf(before.phase) !== stateTypeOf(state.phase);
    const downtimeMoved = anyInEffect(before.downtimes) !== anyInEffect(state.downtimes);
    if (was === is && !(is && hardened) && !downtimeMoved) return;
    for (const ref of plan.services) {
      if (downtimeMoved || isProblem(this.#realm.statusOf(ref))) batch.rowsToRefresh.add(ref);
      if (downtimeMoved) for (const reader of this.#realm.readersOf(ref)) batch.processesToEvaluate.add(reader);
    }
    for (const ref of plan.children) if (this.#realm.statusOf(ref) === "unreachable") batch.rowsToRefresh.add(ref);
    if (downtimeMoved) this.lookAgainAt(plan.services);
  }

  #follow({ plan }: ObjectRecord, followUp: FollowUp, batch: RoundChanges): void {
    if (followUp.kind !== "downtime_trigger") return this.#looks.follow(plan, followUp);
    for (const ref of this.#realm.annotations.triggeredBy(followUp.id)) this.step(ref, followUp, batch);
  }

  /**
   * [BP8, DP6] Processes follow their inputs within the round, and dependents what they depend on; the plan has no
   * cycles, so this ends.
   */
  evaluateAll(batch: RoundChanges): void {
    while (batch.processesToEvaluate.size > 0)
      for (const ref of this.#realm.ranks.lowestOf(batch.processesToEvaluate)) {
        batch.processesToEvaluate.delete(ref);
        this.#evaluate(ref, batch);
      }
    const dependents = this.#realm.dependencies.takeChangedDependents(this.#clock.now());
    for (const ref of dependents) if (isProblem(this.#realm.statusOf(ref))) batch.rowsToRefresh.add(ref);
    this.lookAgainAt(dependents);
  }

  /** How many objects wait for `askNeighbours`. */
  get checksPending(): number {
    return this.#looks.pending;
  }

  /** Has no more than `most` objects checked that a neighbour put in doubt. */
  requestChecks(most: number): void {
    this.#looks.request(most);
  }

  /** Looks again at no more than `most` of those that wait for it. */
  runReevaluations(batch: RoundChanges, most: number): void {
    let left = most;
    for (const ref of this.#again) {
      if (left <= 0) return;
      left -= 1;
      this.#again.delete(ref);
      this.step(ref, { kind: "reevaluate_notifications" }, batch);
    }
  }

  #evaluate(ref: string, batch: RoundChanges): void {
    const record = this.#realm.records.get(ref);
    if (record === undefined || !("rule" in record.plan)) return;
    const { plan, state } = record;
    const result = evaluateProcess(this.#realm, { plan, state }, this.#clock.now());
    if (result !== undefined) this.step(ref, { kind: "result", result }, batch);
  }
}
