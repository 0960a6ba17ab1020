import type { RealmPlan } from "@realmwatch/shared/config/plan";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { AcceptedCommand } from "@realmwatch/shared/model/command";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { refOf } from "@realmwatch/shared/model/object-key";
import type { ObjectInput } from "../engine/input.ts";
import type { ObjectState } from "../engine/state/object-state.ts";
import { RealmStepper } from "../realm/loop/realm-stepper.ts";
import { newRoundChanges, type RoundChanges } from "../realm/loop/round-changes.ts";
import { newProgramState, type ProgramState } from "../realm/state/program-state.ts";
import { RealmState } from "../realm/state/realm-state.ts";
import { DueQueue } from "../realm/timers/due-queue.ts";
import type { NotificationSummary } from "./notification-summary.ts";

export type SimulatedRealmOptions = {
  readonly name: string;
  readonly plan: RealmPlan;
  /** Where its time begins, Unix ms. */
  readonly nowMs: number;
  readonly program?: ProgramState | undefined;
  readonly states: ReadonlyMap<string, ObjectState>;
  /** Somebody wants to know how another object is, before its turn. */
  look(ref: string): void;
  /** A message was decided on. */
  told(message: NotificationSummary): void;
  recorded?(entries: readonly HistoryEntry[]): void;
};

/** What is still due at the instant at which it was taken waits so long, ms: as with a loop, time goes on. */
const againMs = 1_000;

/**
 * A realm that nobody checks, keeps or tells: the engine and the stepper of a running one under a clock that moves
 * when told, in one thread and without waiting. What it would tell is handed to `told`.
 */
export class SimulatedRealm {
  readonly realm: RealmState;
  readonly #options: SimulatedRealmOptions;
  readonly #timers = new DueQueue();
  readonly #again = new Set<string>();
  readonly #errands = new DueQueue();
  readonly #runs = new Map<string, () => void>();
  readonly #stepper: RealmStepper;
  #nowMs: number;

  constructor(options: SimulatedRealmOptions) {
    const { name, plan, nowMs, program = newProgramState(nowMs), states, look } = options;
    this.#options = options;
    this.#nowMs = nowMs;
    this.realm = new RealmState(name, plan, program);
    this.realm.addObjects(states, nowMs);
    const clock: Clock = { now: () => this.#nowMs, monotonic: () => this.#nowMs, after: () => () => {} };
    const scheduler = { ended: () => undefined, resultReceived: () => undefined, checkNow() {}, checkSoon: look };
    const parts = { timers: this.#timers, reevaluationQueue: this.#again, resultDropped() {} };
    this.#stepper = new RealmStepper({ clock, realm: this.realm, scheduler, ...parts });
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Has everything looked at once, as after the start of an agent or another configuration. */
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

  /** Has `run` called when its time comes; of one name only the last one is. */
  plan(name: string, atMs: number, run: () => void): void {
    this.#runs.set(name, run);
    this.#errands.set(name, Math.max(atMs, this.#nowMs));
  }

  cancel(name: string): void {
    this.#runs.delete(name);
    this.#errands.delete(name);
  }

  /** When time alone next changes something, Unix ms; Infinity for never. */
  get nextAtMs(): number {
    return Math.min(this.#timers.nextAt, this.#errands.nextAt, this.realm.dependencies.nextPeriodChangeAtMs);
  }

  /** Lets time pass up to and including `untilMs`, and with it everything come due. */
  advanceTo(untilMs: number): void {
    while (this.nextAtMs <= untilMs) this.#settleNext();
    this.#nowMs = Math.max(this.#nowMs, untilMs);
  }

  /** The same, but what is due right at `untilMs` waits for what happens then. */
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
    for (let due = this.#errands.take(nowMs); due !== undefined; due = this.#errands.take(nowMs)) {
      const run = this.#runs.get(due.id);
      this.#runs.delete(due.id);
      run?.();
    }
    this.#round((batch) => {
      const taken: string[] = [];
      for (let due = this.#timers.take(nowMs); due !== undefined; due = this.#timers.take(nowMs)) taken.push(due.id);
      for (const ref of taken) {
        this.#stepper.step(ref, { kind: "due" }, batch);
        if ((this.#timers.at(ref) ?? Infinity) <= nowMs) this.#timers.set(ref, nowMs + againMs);
      }
    });
  }

  /** As a round of the loop, but with no end to what one may do. */
  #round(work: (batch: RoundChanges) => void): void {
    const batch = newRoundChanges();
    work(batch);
    do {
      this.#stepper.evaluateAll(batch);
      this.#stepper.runReevaluations(batch, Infinity);
    } while (batch.processesToEvaluate.size > 0 || this.#again.size > 0);
    this.#stepper.requestChecks(Infinity);
    for (const { atMs, key, contact, kind, status, level } of batch.notifications)
      this.#options.told({ atMs, ref: refOf(key), contact, kind, status, level });
    if (batch.history.length > 0) this.#options.recorded?.(batch.history);
  }
}
