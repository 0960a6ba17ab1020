import type { AcceptedCommand } from "@realmwatch/shared/commands/commands";
import { isChecked, type ObjectPlan, type RealmPlan } from "@realmwatch/shared/config/plan";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { refOf } from "@realmwatch/shared/model/object-key";
import type { ObjectInput } from "../engine/input.ts";
import type { ObjectState } from "../engine/state/object-state.ts";
import { RealmStepper } from "../realm/loop/realm-stepper.ts";
import { newRoundChanges, type RoundChanges } from "../realm/loop/round-changes.ts";
import { nextMuteEndMs } from "../realm/state/contact-mutes.ts";
import { newProgramState, type ProgramState } from "../realm/state/program-state.ts";
import { RealmState } from "../realm/state/realm-state.ts";
import { DueQueue } from "../realm/timers/due-queue.ts";
import type { NotificationSummary } from "./recording.ts";

type SimulatedRealmOptions = {
  readonly name: string;
  readonly plan: RealmPlan;
  /** Initial time of the clock, Unix ms. */
  readonly nowMs: number;
  readonly program?: ProgramState | undefined;
  readonly states: ReadonlyMap<string, ObjectState>;
  /** Receives requests for on-demand checks. */
  checkSoon(ref: string): void;
  /** Receives the notifications that are sent. */
  notified(notification: NotificationSummary): void;
  recorded?(entries: readonly HistoryEntry[]): void;
};

/** Delay of an object that is still due after its step, ms: in a running realm, time goes on meanwhile. */
const dueAgainMs = 1_000;

/**
 * A realm without checks, journal and deliveries: the engine and the stepper of a running one, with a clock that only
 * `advanceTo` moves. It runs synchronously and passes the notifications that it would send to `notified`.
 */
export class SimulatedRealm {
  readonly realm: RealmState;
  readonly #options: SimulatedRealmOptions;
  readonly #timers = new DueQueue();
  readonly #again = new Set<string>();
  readonly #scheduled = new DueQueue();
  readonly #runs = new Map<string, () => void>();
  readonly #stepper: RealmStepper;
  #nowMs: number;

  constructor(options: SimulatedRealmOptions) {
    const { name, plan, nowMs, program = newProgramState(nowMs), states, checkSoon } = options;
    this.#options = options;
    this.#nowMs = nowMs;
    this.realm = new RealmState(name, plan, program);
    this.realm.addObjects(states, nowMs);
    const clock: Clock = { now: () => this.#nowMs, monotonic: () => this.#nowMs, after: () => () => {} };
    const scheduler = { ended: () => undefined, resultReceived: () => undefined, checkNow() {}, checkSoon };
    const parts = { timers: this.#timers, reevaluationQueue: this.#again, resultDropped() {} };
    this.#stepper = new RealmStepper({ clock, realm: this.realm, scheduler, ...parts });
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Evaluates every object once, as after the start of an agent or a reload. */
  start(): void {
    for (const ref of this.realm.records.keys()) this.#timers.set(ref, this.#nowMs);
    this.#round((batch) => {
      for (const { plan } of this.realm.records.values()) if ("rule" in plan) batch.processesToEvaluate.add(plan.ref);
    });
    this.advanceTo(this.#nowMs);
  }

  step(ref: string, input: ObjectInput): void {
    this.#round((batch) => this.#stepper.step(ref, input, batch));
  }

  apply(accepted: AcceptedCommand): void {
    this.#round((batch) => this.#stepper.apply({ accepted, replayed: false }, batch));
  }

  /** Calls `run` at `atMs`. A later call with the same name replaces the earlier one. */
  schedule(name: string, atMs: number, run: () => void): void {
    this.#runs.set(name, run);
    this.#scheduled.set(name, Math.max(atMs, this.#nowMs));
  }

  cancel(name: string): void {
    this.#runs.delete(name);
    this.#scheduled.delete(name);
  }

  /** Next time at which time alone changes something, Unix ms; Infinity when there is none. */
  get nextAtMs(): number {
    const { dependencies, program } = this.realm;
    const nextInRealmMs = Math.min(dependencies.nextPeriodChangeAtMs, nextMuteEndMs(program));
    return Math.min(this.#timers.nextAt, this.#scheduled.nextAt, nextInRealmMs);
  }

  /** Advances the clock to `untilMs` and processes everything that is due until then, including at `untilMs`. */
  advanceTo(untilMs: number): void {
    while (this.nextAtMs <= untilMs) this.#settleNext();
    this.#nowMs = Math.max(this.#nowMs, untilMs);
  }

  /** Does the same, except that it leaves what is due at `untilMs`: inputs of that time come first. */
  advanceBefore(untilMs: number): void {
    while (this.nextAtMs < untilMs) this.#settleNext();
    this.#nowMs = Math.max(this.#nowMs, untilMs);
  }

  #settleNext(): void {
    this.#nowMs = Math.max(this.#nowMs, this.nextAtMs);
    this.#settleDue();
  }

  #settleDue(): void {
    const nowMs = this.#nowMs;
    for (let due = this.#scheduled.take(nowMs); due !== undefined; due = this.#scheduled.take(nowMs)) {
      const run = this.#runs.get(due.id);
      this.#runs.delete(due.id);
      run?.();
    }
    this.#round((batch) => {
      this.#stepper.expireMutes(batch);
      const taken: string[] = [];
      for (let due = this.#timers.take(nowMs); due !== undefined; due = this.#timers.take(nowMs)) taken.push(due.id);
      for (const ref of taken) {
        this.#stepper.step(ref, { kind: "due" }, batch);
        if ((this.#timers.at(ref) ?? Infinity) <= nowMs) this.#timers.set(ref, nowMs + dueAgainMs);
      }
    });
  }

  /** Runs one round as the realm loop does, but without its limits. */
  #round(work: (batch: RoundChanges) => void): void {
    const batch = newRoundChanges();
    work(batch);
    do {
      this.#stepper.evaluateAll(batch);
      this.#stepper.runReevaluations(batch, Infinity);
    } while (batch.processesToEvaluate.size > 0 || this.#again.size > 0);
    this.#stepper.requestChecks(Infinity);
    for (const { atMs, key, contact, kind, status, level } of batch.notifications)
      this.#options.notified({ atMs, ref: refOf(key), contact, kind, status, level });
    if (batch.history.length > 0) this.#options.recorded?.(batch.history);
  }
}

/**
 * Returns the plan without freshness thresholds. Submitted results that change nothing are not recorded, so a replay
 * has no results for long times and must not treat them as missing.
 */
export function withoutFreshness(plan: RealmPlan): RealmPlan {
  const objects = new Map<string, ObjectPlan>();
  for (const [ref, object] of plan.objects) {
    const passive = isChecked(object) && object.check.type === "passive" ? object : undefined;
    const check = passive?.check.type === "passive" ? { ...passive.check, freshnessThresholdMs: Infinity } : undefined;
    objects.set(ref, passive === undefined || check === undefined ? object : { ...passive, check });
  }
  return { ...plan, objects };
}
