import { isChecked } from "@realmwatch/shared/config/plan";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { AcceptedCommand } from "@realmwatch/shared/model/command";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { isProblem } from "@realmwatch/shared/model/status";
import type { Dropped } from "../engine/state/apply-result.ts";
import { stateTypeOf, statusOf } from "../engine/state/attempts.ts";
import { clearAway } from "../engine/annotations/remove-annotations.ts";
import { anyInEffect } from "../engine/downtimes/downtimes.ts";
import type { CheckResult, FollowUp, ObjectInput } from "../engine/input.ts";
import { hasOpenMatter } from "../engine/notify/open-problem.ts";
import { blocks } from "../engine/state/reachability.ts";
import type { ObjectState } from "../engine/state/object-state.ts";
import { step } from "../engine/step.ts";
import { tellFarewell } from "../engine/notify/notify-removed.ts";
import { applyCommand, type CommandParts } from "./apply-command.ts";
import { type Batch, touch } from "./batch.ts";
import type { DueQueue } from "./due-queue.ts";
import { handlerCallOf } from "./handler-call.ts";
import { NeighbourLooks } from "./neighbour-looks.ts";
import { notificationsOf } from "./notifications-of.ts";
import { processResult } from "./process-result.ts";
import type { ObjectRecord, RealmState } from "./realm-state.ts";
import type { Replay } from "./replay.ts";

/** What a step asks of a scheduler. */
export interface StepScheduler {
  ended(ref: string, intervalMs: number, soft: boolean): number | undefined;
  heard(ref: string, intervalMs: number, soft: boolean): number | undefined;
  checkNow(ref: string): void;
  checkSoon(ref: string, lastCheckAtMs: number | undefined): void;
}

export type StepperOptions = {
  readonly clock: Clock;
  readonly realm: RealmState;
  readonly scheduler: StepScheduler;
  /** When time alone could change an object, on the wall clock. */
  readonly timers: DueQueue;
  /** Objects to look at again before the round ends, or in one of the next. */
  readonly again: Set<string>;
  /** A result was not taken. */
  dropped(why: Dropped): void;
  readonly replay: Replay;
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
  readonly #looks: NeighbourLooks;
  readonly #again: Set<string>;
  readonly #dropped: (why: Dropped) => void;
  readonly #commands: CommandParts;

  constructor({ clock, realm, scheduler, timers, again, dropped, replay }: StepperOptions) {
    this.#clock = clock;
    this.#realm = realm;
    this.#scheduler = scheduler;
    this.#timers = timers;
    this.#looks = new NeighbourLooks({ clock, realm, scheduler, timers });
    this.#again = again;
    this.#dropped = dropped;
    this.#commands = {
      realm,
      scheduler,
      step: (ref, input, batch) => this.step(ref, input, batch),
      lookAgainAt: (refs) => this.lookAgainAt(refs),
      replay,
    };
  }

  /** Applies a command, all of its effects in order. */
  apply(accepted: AcceptedCommand, batch: Batch): void {
    applyCommand(this.#commands, accepted, batch);
  }

  /** [RE5] Has those of them that may have something to tell looked at again. */
  lookAgainAt(refs: Iterable<string>): void {
    for (const ref of refs) {
      const record = this.#realm.records.get(ref);
      if (record !== undefined && hasOpenMatter(record.state)) this.#again.add(ref);
    }
  }

  /** Hands one input to the engine and notes what came of it. */
  step(ref: string, input: ObjectInput, batch: Batch): void {
    const record = this.#realm.records.get(ref);
    if (record === undefined) {
      // Its object went while the check ran; the place among the running ones has to be given back.
      if (input.kind === "result" && input.result.origin === "active") this.#scheduler.ended(ref, 0, false);
      return;
    }
    const before = record.state;
    const nowMs = this.#clock.now();
    const around = this.#realm.surroundingsOf(record, nowMs);
    const outcome = step({ plan: record.plan, around, nowMs }, before, input);
    record.state = outcome.state;
    if (outcome.dropped !== undefined) this.#dropped(outcome.dropped);
    if (input.kind === "result") this.#settleCadence(record, input.result);
    if (input.kind === "result" && outcome.dropped === undefined) this.#noteHeard(record, input.result);
    if (input.kind === "due") this.#looks.askAgain(ref);
    this.#looks.keepWaiting(record.plan, record.state);
    this.#timers.set(ref, Math.min(outcome.dueMs, this.#looks.dueMs(ref)));
    this.#note(record, before, { batch, history: outcome.history });
    // [TG1] What a switch of the realm did is kept with the switch.
    if (input.kind === "program_toggle" && record.state !== before) touch(batch, ref, "changed");
    for (const sending of outcome.sendings)
      batch.notifications.push(...notificationsOf(this.#realm, record, { sending, atMs: nowMs }));
    const call = outcome.handlerDue ? handlerCallOf(this.#realm, record, nowMs) : undefined;
    if (call !== undefined) batch.handlers.push(call);
    for (const followUp of outcome.followUps) this.#follow(record, followUp, batch);
  }

  /** [RL7, RL8] Notes that an object is gone with all that was on it, and tells those who know of its problem. */
  bidFarewell(record: ObjectRecord, batch: Batch): void {
    const { plan } = record;
    touch(batch, plan.ref, "changed");
    this.#looks.forget(plan.ref);
    const nowMs = this.#clock.now();
    const context = { plan, around: this.#realm.surroundingsOf(record, nowMs), nowMs };
    const { state, sendings, history } = tellFarewell(context, record.state);
    const cleared = clearAway(context, record.state);
    batch.history.push(...history, ...cleared.history);
    for (const sending of sendings)
      batch.notifications.push(...notificationsOf(this.#realm, { plan, state }, { sending, atMs: nowMs }));
    for (const followUp of cleared.followUps) this.#follow(record, followUp, batch);
  }

  #noteHeard({ plan }: ObjectRecord, { executedAtMs }: CheckResult): void {
    this.#looks.heard(plan.ref, executedAtMs);
    if ("services" in plan) this.lookAgainAt(this.#realm.takeAwaiting(plan.ref));
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
      origin === "active" ? scheduler.ended(plan.ref, intervalMs, soft) : scheduler.heard(plan.ref, intervalMs, soft);
    if (next !== undefined) record.state = { ...state, nextCheckAtMs: next, missedTurnAtMs: undefined };
  }

  /** Notes what a step changed: the object itself, those it covers, and the processes that read it. */
  #note(
    record: ObjectRecord,
    before: ObjectState,
    { batch, history }: { batch: Batch; history: readonly HistoryEntry[] },
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
    touch(batch, plan.ref, annotated || moved || toldAnew || history.length > 0 ? "changed" : "fresher");
    if (annotated) this.#realm.index(plan.ref, before, state);
    if (statusOf(before.phase) !== statusOf(state.phase) || before.lastHardStatus !== state.lastHardStatus)
      this.#realm.dependencies.moved(plan.ref);
    if ("services" in plan) this.#noteCovered(plan, before, { state, batch });
    if ("services" in plan && before.toggles.activeChecks && !state.toggles.activeChecks)
      this.lookAgainAt(this.#realm.takeAwaiting(plan.ref));
    if (moved || annotated || before.lastHardStatus !== state.lastHardStatus)
      for (const reader of this.#realm.readersOf(plan.ref)) batch.evaluate.add(reader);
  }

  #noteCovered(
    plan: { services: readonly string[]; children: readonly string[] },
    before: ObjectState,
    { state, batch }: { state: ObjectState; batch: Batch },
  ): void {
    const [was, is] = [blocks(statusOf(before.phase)), blocks(statusOf(state.phase))];
    const hardened = stateTypeOf(before.phase) !== stateTypeOf(state.phase);
    const downtimeMoved = anyInEffect(before.downtimes) !== anyInEffect(state.downtimes);
    if (was === is && !(is && hardened) && !downtimeMoved) return;
    for (const ref of plan.services) {
      if (downtimeMoved || isProblem(this.#realm.statusOf(ref))) batch.covered.add(ref);
      if (downtimeMoved) for (const reader of this.#realm.readersOf(ref)) batch.evaluate.add(reader);
    }
    for (const ref of plan.children) if (this.#realm.statusOf(ref) === "unreachable") batch.covered.add(ref);
    if (downtimeMoved) this.lookAgainAt(plan.services);
  }

  #follow({ plan }: ObjectRecord, followUp: FollowUp, batch: Batch): void {
    if (followUp.kind !== "downtime_trigger") return this.#looks.follow(plan, followUp);
    for (const ref of this.#realm.triggeredBy(followUp.id)) this.step(ref, followUp, batch);
  }

  /**
   * [BP8, DP6] Processes follow their inputs within the round, and dependents what they depend on; the plan has no
   * cycles, so this ends.
   */
  evaluateAll(batch: Batch): void {
    while (batch.evaluate.size > 0)
      for (const ref of this.#realm.ranks.lowestOf(batch.evaluate)) {
        batch.evaluate.delete(ref);
        this.#evaluate(ref, batch);
      }
    const dependents = this.#realm.dependencies.flipped(this.#clock.now());
    for (const ref of dependents) if (isProblem(this.#realm.statusOf(ref))) batch.covered.add(ref);
    this.lookAgainAt(dependents);
  }

  /** How many objects wait for `askNeighbours`. */
  get neighboursWaiting(): number {
    return this.#looks.waiting;
  }

  /** Has no more than `most` objects checked that a neighbour put in doubt. */
  askNeighbours(most: number): void {
    this.#looks.ask(most);
  }

  /** Looks again at no more than `most` of those that wait for it. */
  lookAgain(batch: Batch, most: number): void {
    let left = most;
    for (const ref of this.#again) {
      if (left <= 0) return;
      left -= 1;
      this.#again.delete(ref);
      this.step(ref, { kind: "look_again" }, batch);
    }
  }

  #evaluate(ref: string, batch: Batch): void {
    const record = this.#realm.records.get(ref);
    if (record === undefined || !("rule" in record.plan)) return;
    const { plan, state } = record;
    const result = processResult(this.#realm, { plan, state }, this.#clock.now());
    if (result !== undefined) this.step(ref, { kind: "result", result }, batch);
  }
}
